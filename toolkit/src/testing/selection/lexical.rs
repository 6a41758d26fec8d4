//! A selector that knows nothing but words.

use std::collections::HashMap;

use serde_json::Value;

use super::super::words::words;
use super::{Choice, Ranked, Selector};
use crate::catalog::{Catalog, CatalogTool};
use crate::hook::{BoxFuture, HookError};
use crate::order::sort_by;

/// Chooses by the words that a task shares with what is written of a tool: name, title, description,
/// parameters with theirs, and the values of enums, by [BM25](https://doi.org/10.1561/1500000019)
/// (k₁ = 1.2, b = 0.75). A word of the name counts three times, one of the description twice.
///
/// It is deterministic, costs nothing and needs nobody. **It measures wording, not a model's choice**: a
/// model knows what words mean, and may choose rightly where this doesn't. What it shows is that a text
/// has changed its aim: a description that no longer says what the tool is for, or two that have become
/// each other's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical;

impl Lexical {
    /// The selector.
    pub fn new() -> Self {
        Self
    }

    /// The tools of a catalog that share a word with the task, the best first; of equals, in order of
    /// names.
    pub fn rank(&self, task: &str, catalog: &Catalog) -> Vec<Ranked> {
        ranked(task, catalog, &documents(catalog))
    }
}

fn documents(catalog: &Catalog) -> Vec<Document> {
    catalog.tools().map(Document::of).collect()
}

fn ranked(task: &str, catalog: &Catalog, documents: &[Document]) -> Vec<Ranked> {
    let mut query = Vec::new();
    words(task, &mut |word| query.push(word));
    let mut ranking: Vec<Ranked> = scores(documents, &query)
        .into_iter()
        .zip(catalog.tools())
        .filter(|(score, _)| *score > 0.0)
        .map(|(score, tool)| Ranked { tool: tool.spec().name().to_owned(), score })
        .collect();
    sort_by(&mut ranking, |a, b| b.score.total_cmp(&a.score));
    ranking
}

fn first(ranking: Vec<Ranked>) -> Choice {
    let chosen = ranking.first().map(|first| first.tool.clone()).into_iter().collect();
    Choice { chosen, ranking }
}

impl Selector for Lexical {
    fn choose<'a>(
        &'a self,
        task: &'a str,
        catalog: &'a Catalog,
    ) -> BoxFuture<'a, Result<Choice, HookError>> {
        Box::pin(async move { Ok(first(self.rank(task, catalog))) })
    }

    // The tools are read once.
    fn choose_all<'a>(
        &'a self,
        tasks: &'a [&'a str],
        catalog: &'a Catalog,
    ) -> BoxFuture<'a, Vec<Result<Choice, HookError>>> {
        Box::pin(async move {
            let documents = documents(catalog);
            tasks.iter().map(|task| Ok(first(ranked(task, catalog, &documents)))).collect()
        })
    }
}

/// How often a word counts by where it stands.
const NAME: f64 = 3.0;
const DESCRIPTION: f64 = 2.0;
const PARAMETER: f64 = 1.0;

/// The words of one tool, each with its weight.
#[derive(Default)]
struct Document {
    words: HashMap<String, f64>,
    length: f64,
}

impl Document {
    fn of(tool: CatalogTool<'_>) -> Self {
        let spec = tool.spec();
        let mut document = Self::default();
        document.add(spec.name(), NAME);
        document.add(spec.title().unwrap_or_default(), NAME);
        document.add(spec.description(), DESCRIPTION);
        if let Ok(schema) = tool.parameters() {
            document.add_schema(schema);
        }
        document
    }

    fn add(&mut self, text: &str, weight: f64) {
        words(text, &mut |word| {
            *self.words.entry(word).or_default() += weight;
            self.length += weight;
        });
    }

    fn add_schema(&mut self, schema: &Value) {
        match schema {
            Value::Object(members) => {
                for (key, member) in members {
                    match (key.as_str(), member) {
                        ("description" | "title" | "const", Value::String(text)) => {
                            self.add(text, PARAMETER);
                        }
                        ("enum", Value::Array(values)) => {
                            for value in values.iter().filter_map(Value::as_str) {
                                self.add(value, PARAMETER);
                            }
                        }
                        ("properties", Value::Object(properties)) => {
                            for (name, schema) in properties {
                                self.add(name, PARAMETER);
                                self.add_schema(schema);
                            }
                        }
                        // What a value looks like, not what it is for.
                        ("default" | "examples" | "required" | "pattern", _) => {}
                        (_, schema) => self.add_schema(schema),
                    }
                }
            }
            Value::Array(schemas) => schemas.iter().for_each(|schema| self.add_schema(schema)),
            _ => {}
        }
    }
}

/// BM25 of each document.
fn scores(documents: &[Document], query: &[String]) -> Vec<f64> {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;
    // Counts of tools and words are far below what a float holds.
    let count = documents.len() as f64;
    let average = documents.iter().map(|document| document.length).sum::<f64>() / count;
    let mut scores = vec![0.0; documents.len()];
    for word in query {
        let with = documents.iter().filter(|document| document.words.contains_key(word)).count();
        let with = with as f64;
        let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
        for (score, document) in scores.iter_mut().zip(documents) {
            if let Some(often) = document.words.get(word) {
                let length = 1.0 - B + B * document.length / average;
                *score += rarity * often * (K1 + 1.0) / (often + K1 * length);
            }
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rare_word_counts_more_and_a_long_text_less() {
        let document = |text: &str| {
            let mut document = Document::default();
            document.add(text, 1.0);
            document
        };
        let documents =
            [document("find a ticket"), document("find an article"), document("find find find")];
        let scored = scores(&documents, &["find".to_owned(), "ticket".to_owned()]);
        assert!(scored[0] > scored[2] && scored[2] > scored[1], "{scored:?}");
        assert!(scores(&documents, &["none".to_owned()]).iter().all(|score| *score == 0.0));
        assert!(scores(&[], &["none".to_owned()]).is_empty());
    }
}
