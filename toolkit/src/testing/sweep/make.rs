//! Values that fit a schema.

use serde_json::{Number, Value};

use super::chance::Chance;
use super::join::join;
use super::schema::{Schema, Shape, types};
use super::strings;

/// Which of the values that fit is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing that may be left out.
    Least,
    /// Everything that may be there, once.
    Full,
    /// Any, by chance.
    Random,
}

/// Deeper, nothing is made.
const DEEPEST: usize = 24;

/// A whole number without bounds is within these.
const WHOLE: (i128, i128) = (-2_147_483_648, 2_147_483_647);

/// A step of a path: a key, or a place in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    At(usize),
}

/// A place of a value, with the schema that it fits there.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) path: Vec<Step>,
    pub(super) shape: Shape,
    /// Whether it may be left out.
    pub(super) optional: bool,
}

/// Makes values of one schema.
pub(super) struct Maker<'s> {
    pub(super) schema: &'s Schema,
    pub(super) mode: Mode,
    pub(super) rng: Chance,
    /// The places of the last value, outermost first.
    pub(super) spots: Vec<Spot>,
    /// What was left out since it can't be made, and why.
    pub(super) skipped: Vec<String>,
    /// How often a value that differs from others may still be looked for: lists within lists ask for it
    /// within each other.
    pub(super) looks: usize,
}

/// So often a value that differs from others is looked for.
const LOOKS: usize = 1_000;

/// A path as a person writes it.
pub(super) fn path_text(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.push_str(&format!(".{key}")),
            Step::At(at) => text.push_str(&format!("[{at}]")),
        }
    }
    if text.is_empty() { "the arguments".to_owned() } else { format!("`{text}`") }
}

impl<'s> Maker<'s> {
    pub(super) fn new(schema: &'s Schema, mode: Mode, seed: u64) -> Self {
        let (spots, skipped) = (Vec::new(), Vec::new());
        Self { schema, mode, rng: Chance::new(seed), spots, skipped, looks: LOOKS }
    }

    /// A value of the whole schema.
    ///
    /// # Errors
    /// None can be made: where, and why.
    pub(super) fn whole(&mut self) -> Result<Value, String> {
        self.spots.clear();
        let root = self.schema.root.clone();
        self.value(&root, &mut Vec::new(), false)
    }

    pub(super) fn value(
        &mut self,
        schema: &Value,
        path: &mut Vec<Step>,
        optional: bool,
    ) -> Result<Value, String> {
        let shape =
            self.schema.open(schema).map_err(|why| format!("{}: {why}", path_text(path)))?;
        let spot = Spot { path: path.clone(), shape: shape.clone(), optional };
        self.spots.push(spot);
        self.shaped(&shape, path)
    }

    /// A value of a schema that is opened.
    pub(super) fn shaped(&mut self, shape: &Shape, path: &mut Vec<Step>) -> Result<Value, String> {
        if path.len() > DEEPEST {
            return Err(format!("{}: it has no end", path_text(path)));
        }
        if let Some(only) = shape.get("const") {
            return Ok(only.clone());
        }
        if let Some(Value::Array(values)) = shape.get("enum") {
            let usual = values.iter().find(|value| !value.is_null()).or(values.first());
            let value = match self.mode {
                Mode::Random => values.get(self.rng.place(values.len())),
                _ => usual,
            };
            return value.cloned().ok_or_else(|| format!("{}: its enum is empty", path_text(path)));
        }
        for join in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = shape.get(join) {
                return self.one_of(shape, join, branches, path);
            }
        }
        let held = shape.get("type");
        let words = held.map(types).unwrap_or_else(|| implied(shape));
        if shape.contains_key("not") && words.len() > 1 {
            // Some of its types may be what it must not be.
            for word in &words {
                let mut one = shape.clone();
                one.insert("type".to_owned(), Value::String((*word).to_owned()));
                let spots = self.spots.len();
                match self.typed(word, &one, path) {
                    Ok(value) if self.schema.fits_here(shape, &value) == Some(true) => {
                        return Ok(value);
                    }
                    _ => self.spots.truncate(spots),
                }
            }
        }
        let of = match self.mode {
            Mode::Random if !words.is_empty() => words[self.rng.place(words.len())],
            _ => words.iter().copied().find(|word| *word != "null").unwrap_or("null"),
        };
        self.typed(of, shape, path)
    }

    fn typed(&mut self, of: &str, shape: &Shape, path: &mut Vec<Step>) -> Result<Value, String> {
        match of {
            "object" => self.object(shape, path),
            "array" => self.array(shape, path),
            "string" => self.string(shape, path),
            "integer" => self.whole_number(shape, path),
            "number" => self.number(shape, path),
            "boolean" => Ok(Value::Bool(self.mode != Mode::Random || self.rng.coin())),
            _ => Ok(Value::Null),
        }
    }

    /// A value of one of several schemas, the first that can be made.
    fn one_of(
        &mut self,
        shape: &Shape,
        join_by: &str,
        branches: &[Value],
        path: &mut Vec<Step>,
    ) -> Result<Value, String> {
        let mut order: Vec<usize> = (0..branches.len()).collect();
        if self.mode == Mode::Random {
            self.rng.shuffle(&mut order);
        }
        let mut why = format!("{}: `{join_by}` is empty", path_text(path));
        let mut null = None;
        for at in order {
            let (spots, depth) = (self.spots.len(), path.len());
            let made = self.branch(shape, join_by, &branches[at]).and_then(|one| {
                let value = self.shaped(&one, path)?;
                // Of `oneOf` only one may fit.
                if join_by == "anyOf" || self.schema.fits_here(shape, &value) != Some(false) {
                    return Ok(value);
                }
                let others = self.edges(&one, path).into_iter().map(|(_, value)| value);
                let fits = |value: &Value| self.schema.fits_here(shape, value) == Some(true);
                let other = others.into_iter().find(fits);
                other.ok_or_else(|| format!("{}: its alternatives overlap", path_text(path)))
            });
            match made {
                Ok(Value::Null) if self.mode == Mode::Full => null = Some(Value::Null),
                Ok(value) => return Ok(value),
                Err(error) => why = error,
            }
            self.spots.truncate(spots);
            path.truncate(depth);
        }
        null.ok_or(why)
    }

    /// A schema with one of its alternatives joined in.
    pub(super) fn branch(&self, shape: &Shape, key: &str, branch: &Value) -> Result<Shape, String> {
        let mut one = shape.clone();
        one.remove(key);
        join(&mut one, self.schema.open(branch)?);
        Ok(one)
    }

    fn string(&mut self, shape: &Shape, path: &[Step]) -> Result<Value, String> {
        let made = match self.mode {
            Mode::Random => strings::any(self.schema, shape, &mut self.rng),
            _ => self.schema.texts(shape, &mut self.rng).map(|mut all| all.swap_remove(0)),
        };
        match (made, shape.get("examples").and_then(Value::as_array).and_then(|all| all.first())) {
            (Ok(text), _) => Ok(Value::String(text)),
            (Err(_), Some(example)) => Ok(example.clone()),
            (Err(why), None) => Err(format!("{}: {why}", path_text(path))),
        }
    }

    fn whole_number(&mut self, shape: &Shape, path: &[Step]) -> Result<Value, String> {
        let (from, to) = whole_bounds(shape);
        let step = shape.get("multipleOf").and_then(Value::as_i64).map_or(1, i128::from).max(1);
        // The multiples within the bounds.
        let (low, high) =
            (from.div_euclid(step) + i128::from(from.rem_euclid(step) != 0), to.div_euclid(step));
        if low > high {
            return Err(format!("{}: no whole number is within its bounds", path_text(path)));
        }
        let times = match self.mode {
            Mode::Random => self.rng.within(low, high),
            _ => 1.clamp(low, high),
        };
        whole(times * step).ok_or_else(|| format!("{}: its numbers are too large", path_text(path)))
    }

    fn number(&mut self, shape: &Shape, path: &[Step]) -> Result<Value, String> {
        let bound = |key: &str| shape.get(key).and_then(Value::as_f64);
        let tighter = |one: &str, other: &str, pick: fn(f64, f64) -> f64| {
            [bound(one), bound(other)].into_iter().flatten().reduce(pick)
        };
        let from = tighter("minimum", "exclusiveMinimum", f64::max);
        let to = tighter("maximum", "exclusiveMaximum", f64::min);
        let from = from.unwrap_or_else(|| to.map_or(-1e6, |to| (to - 1e6).min(-1e6)));
        let to = to.unwrap_or(from.max(0.0) + 1e6);
        let share = if self.mode == Mode::Random { self.rng.share() } else { 0.5 };
        let mut number = from + (to - from) * share;
        if let Some(step) = bound("multipleOf") {
            number = (number / step).round() * step;
            if number > to || number < from {
                number = (from / step).ceil() * step;
            }
        }
        Number::from_f64(number)
            .map(Value::Number)
            .ok_or_else(|| format!("{}: its numbers are too large", path_text(path)))
    }

    /// Notes what was left out, once.
    pub(super) fn skip(&mut self, why: String) {
        if !self.skipped.contains(&why) {
            self.skipped.push(why);
        }
    }
}

/// The bounds of a whole number, both inclusive.
pub(super) fn whole_bounds(shape: &Shape) -> (i128, i128) {
    // One written with a fraction, and how it is rounded to the whole numbers within.
    let bound = |key: &str, round: fn(f64) -> f64| {
        let held = shape.get(key)?;
        let whole = held.as_i64().map(i128::from).or_else(|| held.as_u64().map(i128::from));
        // What is beyond a whole number of this size ends at it.
        whole.or_else(|| Some(round(held.as_f64()?) as i128))
    };
    let above = bound("exclusiveMinimum", f64::floor).map(|from| from.saturating_add(1));
    let below = bound("exclusiveMaximum", f64::ceil).map(|to| to.saturating_sub(1));
    let from = bound("minimum", f64::ceil).max(above);
    let to = [bound("maximum", f64::floor), below].into_iter().flatten().min();
    let from = from.unwrap_or_else(|| WHOLE.0.min(to.unwrap_or_default()));
    (from, to.unwrap_or_else(|| WHOLE.1.max(from)))
}

/// A whole number as JSON, where its text can have it.
pub(super) fn whole(number: i128) -> Option<Value> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Some(number.into()),
        (_, Ok(number)) => Some(number.into()),
        _ => None,
    }
}

/// The types that the keywords of a schema speak of, where it doesn't say one.
fn implied(shape: &Shape) -> Vec<&'static str> {
    let has = |keys: &[&str]| keys.iter().any(|key| shape.contains_key(*key));
    if has(&["properties", "required", "additionalProperties", "minProperties"]) {
        vec!["object"]
    } else if has(&["items", "prefixItems", "minItems"]) {
        vec!["array"]
    } else if has(&["minimum", "maximum", "multipleOf"]) {
        vec!["number"]
    } else {
        vec!["string"]
    }
}
