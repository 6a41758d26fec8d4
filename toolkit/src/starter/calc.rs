//! Exact arithmetic on decimal numbers.

use rust_decimal::{Decimal, MathematicalOps as _, RoundingStrategy};

use crate::ToolError;

/// Arithmetic: `calc.eval`. Load it with [`Builder::toolset`](crate::Builder::toolset) or
/// [`Toolkit::load`](crate::Toolkit::load).
#[derive(Clone, Copy, Debug, Default)]
pub struct Calc;

#[toolkit_macros::toolset(domain = "calc", ceiling = "read", crate = crate)]
impl Calc {
    /// Evaluate an arithmetic expression exactly, in decimal numbers of up to 28 digits.
    ///
    /// Use it for any sum, price, percentage or average rather than reckoning yourself. Not for dates,
    /// which `dates.add` and `dates.between` reckon with.
    ///
    /// Takes `+ - * / %` (remainder), `^` (a whole exponent from -100 to 100), parentheses, and the functions
    /// `abs`, `ceil`, `floor`, `round(x)`, `round(x, places)`, `sqrt`, `min`, `max`, `sum` and `avg`.
    #[tool(risk = "read", title = "Calculator")]
    fn eval(
        /// The expression, e.g. `round((19.99 * 3) * 1.19, 2)`. A point, no comma, in a number.
        #[arg(length = 1..=1000)]
        expression: &str,
    ) -> Result<String, ToolError> {
        let mut parser = Parser { text: expression, at: 0, depth: 0 };
        let value = parser.sum()?;
        parser.space();
        match parser.peek() {
            None => Ok(value.normalize().to_string()),
            Some(found) => Err(parser.expected("an operator or the end", Some(found))),
        }
    }
}

/// The deepest nesting of parentheses.
const DEEPEST: usize = 64;

/// Reads and evaluates at once, the strongest operators first.
struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn space(&mut self) {
        while let Some(c) = self.peek().filter(|c| c.is_whitespace()) {
            self.at += c.len_utf8();
        }
    }

    fn eat(&mut self, wanted: &[char]) -> Option<char> {
        self.space();
        let found = self.peek().filter(|c| wanted.contains(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn expected(&self, what: &str, found: Option<char>) -> ToolError {
        let got = found.map_or("the end".to_owned(), |found| format!("`{found}`"));
        let column = self.text.get(..self.at).map_or(0, |before| before.chars().count()) + 1;
        ToolError::expected(format!("expected {what} at character {column}, got {got}"))
    }

    fn too_large(&self) -> ToolError {
        ToolError::expected("a value is too large: at most 28 digits are held; use smaller numbers")
    }

    fn sum(&mut self) -> Result<Decimal, ToolError> {
        let mut value = self.product()?;
        while let Some(sign) = self.eat(&['+', '-', '−']) {
            let other = self.product()?;
            let result =
                if sign == '+' { value.checked_add(other) } else { value.checked_sub(other) };
            value = result.ok_or_else(|| self.too_large())?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Decimal, ToolError> {
        let mut value = self.signed()?;
        while let Some(sign) = self.eat(&['*', '/', '%', '×', '÷']) {
            let other = self.signed()?;
            if !matches!(sign, '*' | '×') && other.is_zero() {
                return Err(ToolError::expected("there is a division by zero; change the divisor"));
            }
            let result = match sign {
                '*' | '×' => value.checked_mul(other),
                '%' => value.checked_rem(other),
                _ => value.checked_div(other),
            };
            value = result.ok_or_else(|| self.too_large())?;
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<Decimal, ToolError> {
        let mut negative = false;
        while let Some(sign) = self.eat(&['+', '-', '−']) {
            negative ^= sign != '+';
        }
        let value = self.power()?;
        Ok(if negative { -value } else { value })
    }

    fn power(&mut self) -> Result<Decimal, ToolError> {
        let base = self.atom()?;
        if self.eat(&['^']).is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.signed()?;
        self.depth -= 1;
        let whole = exponent.is_integer().then(|| i64::try_from(exponent).ok()).flatten();
        let Some(whole) = whole.filter(|whole| (-100..=100).contains(whole)) else {
            return Err(ToolError::expected(format!(
                "an exponent must be a whole number from -100 to 100, got {}",
                exponent.normalize()
            )));
        };
        if base.is_zero() && whole < 0 {
            return Err(ToolError::expected("there is a division by zero; change the exponent"));
        }
        base.checked_powi(whole).ok_or_else(|| self.too_large())
    }

    fn deeper(&mut self) -> Result<(), ToolError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ToolError::expected(format!(
                "the expression is nested deeper than {DEEPEST}; split it into several calls"
            )));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<Decimal, ToolError> {
        if self.eat(&['(']).is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return match self.eat(&[')']) {
                Some(_) => Ok(value),
                None => Err(self.expected("`)`", self.peek())),
            };
        }
        self.space();
        match self.peek() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.function(),
            found => Err(self.expected("a number, `(` or a function", found)),
        }
    }

    /// The text of the characters from here for which this holds.
    fn word(&mut self, holds: impl Fn(char) -> bool) -> &str {
        let start = self.at;
        while let Some(c) = self.peek().filter(|c| holds(*c)) {
            self.at += c.len_utf8();
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Result<Decimal, ToolError> {
        let start = self.at;
        self.word(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
        // The sign of an exponent: `1.5e-3`.
        if self.text[start..self.at].ends_with(['e', 'E']) && self.eat(&['+', '-']).is_some() {
            self.word(|c| c.is_ascii_digit());
        }
        let text = &self.text[start..self.at];
        let read = Decimal::from_str_exact(text).or_else(|_| Decimal::from_scientific(text));
        read.map_err(|_| {
            ToolError::expected(format!(
                "`{text}` is no number of up to 28 digits; write it like `1234.5` or `1.5e3`"
            ))
        })
    }

    fn function(&mut self) -> Result<Decimal, ToolError> {
        let name = self.word(|c| c.is_ascii_alphanumeric() || c == '_').to_owned();
        const KNOWN: [&str; 9] =
            ["abs", "ceil", "floor", "round", "sqrt", "min", "max", "sum", "avg"];
        if !KNOWN.contains(&&*name) {
            return Err(ToolError::expected(format!(
                "there is no function or constant `{name}`; known: {}",
                KNOWN.join(", ")
            )));
        }
        if self.eat(&['(']).is_none() {
            return Err(self.expected(&format!("`(` after `{name}`"), self.peek()));
        }
        self.deeper()?;
        let mut values = vec![self.sum()?];
        while self.eat(&[',', ';']).is_some() {
            values.push(self.sum()?);
        }
        self.depth -= 1;
        if self.eat(&[')']).is_none() {
            return Err(self.expected("`,` or `)`", self.peek()));
        }
        self.apply(&name, &values)
    }

    fn apply(&self, name: &str, values: &[Decimal]) -> Result<Decimal, ToolError> {
        let total = || {
            let added = |sum: Decimal, value: &Decimal| sum.checked_add(*value);
            values.iter().try_fold(Decimal::ZERO, added).ok_or_else(|| self.too_large())
        };
        match (name, values) {
            ("abs", [value]) => Ok(value.abs()),
            ("ceil", [value]) => Ok(value.ceil()),
            ("floor", [value]) => Ok(value.floor()),
            ("round", [value]) => Ok(rounded(*value, 0)),
            ("round", [value, places]) => {
                let whole = places.is_integer().then(|| u32::try_from(*places).ok()).flatten();
                match whole.filter(|places| *places <= 28) {
                    Some(places) => Ok(rounded(*value, places)),
                    None => Err(ToolError::expected(format!(
                        "`round` takes 0 to 28 places, got {}",
                        places.normalize()
                    ))),
                }
            }
            ("sqrt", [value]) => value.sqrt().ok_or_else(|| {
                ToolError::expected(
                    "a square root needs a number of 0 or more; change its argument",
                )
            }),
            // There is at least one.
            ("min", values) => Ok(values.iter().copied().min().unwrap_or_default()),
            ("max", values) => Ok(values.iter().copied().max().unwrap_or_default()),
            ("sum", _) => total(),
            ("avg", values) => {
                let count = Decimal::from(values.len());
                total()?.checked_div(count).ok_or_else(|| self.too_large())
            }
            (name, values) => Err(ToolError::expected(format!(
                "`{name}` takes {}, got {}",
                if name == "round" { "one or two numbers" } else { "one number" },
                values.len()
            ))),
        }
    }
}

/// Half away from zero, as people round.
fn rounded(value: Decimal, places: u32) -> Decimal {
    value.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero)
}
