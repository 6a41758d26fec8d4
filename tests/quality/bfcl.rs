//! How far the lexical selector comes on the tasks of others: the split `multiple` of the Berkeley
//! Function-Calling Leaderboard, its functions as tools from a schema.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toolkit::prelude::*;
use toolkit::testing::{Lexical, Task, select};
use toolkit::{Catalog, SchemaTool};

/// One task: what a user says, the functions that are offered for it, and the one that it calls for.
struct Entry {
    text: String,
    functions: Vec<Function>,
    expect: String,
}

/// A function as it is described there.
#[derive(Clone)]
struct Function {
    name: String,
    description: String,
    schema: Value,
}

/// The objects of a file in the package.
fn lines(folder: &Path, file: &str) -> Vec<Value> {
    let path = folder.join("bfcl_eval/data").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{} can't be read: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn entries(folder: &Path) -> Vec<Entry> {
    let mut names = Names::default();
    let answers = lines(folder, "possible_answer/BFCL_v4_multiple.json");
    let mut right: HashMap<String, String> = answers
        .iter()
        .map(|answer| {
            let [truth] = answer["ground_truth"].as_array().unwrap().as_slice() else {
                panic!("{answer}")
            };
            let name = truth.as_object().unwrap().keys().next().unwrap();
            (answer["id"].as_str().unwrap().to_owned(), name.clone())
        })
        .collect();
    let tasks = lines(folder, "BFCL_v4_multiple.json");
    tasks
        .iter()
        .map(|task| Entry {
            text: task["question"][0][0]["content"].as_str().unwrap().to_owned(),
            functions: task["function"]
                .as_array()
                .unwrap()
                .iter()
                .map(|function| Function {
                    name: names.of(function["name"].as_str().unwrap()),
                    description: function["description"].as_str().unwrap().to_owned(),
                    schema: schema(&function["parameters"]),
                })
                .collect(),
            expect: names.of(&right.remove(task["id"].as_str().unwrap()).unwrap()),
        })
        .collect()
}

/// The names that ours may have, one for each of theirs.
#[derive(Default)]
struct Names {
    known: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    fn of(&mut self, theirs: &str) -> String {
        if let Some(name) = self.known.get(theirs) {
            return name.clone();
        }
        let mut base = String::new();
        let mut before = '.';
        for c in theirs.chars() {
            let starts = c.is_ascii_uppercase() && before.is_ascii_alphanumeric();
            if starts && !before.is_ascii_uppercase() {
                base.push('_');
            }
            base.push(c.to_ascii_lowercase());
            before = c;
        }
        let mut name = base.clone();
        let mut count = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{base}_{count}");
            count += 1;
        }
        self.known.insert(theirs.to_owned(), name.clone());
        name
    }
}

/// Parameters as JSON Schema: theirs but for the names of types.
fn schema(parameters: &Value) -> Value {
    let Value::Object(members) = parameters else { return parameters.clone() };
    let mut schema = Map::new();
    for (keyword, value) in members {
        let value = match (keyword.as_str(), value) {
            ("type", Value::String(word)) => match word.as_str() {
                "dict" => "object".into(),
                "float" => "number".into(),
                "tuple" => "array".into(),
                "any" => continue,
                word => word.into(),
            },
            ("properties", Value::Object(properties)) => Value::Object(
                properties
                    .iter()
                    .map(|(name, value)| (name.clone(), self::schema(value)))
                    .collect(),
            ),
            ("items", items) => self::schema(items),
            (_, value) => value.clone(),
        };
        schema.insert(keyword.clone(), value);
    }
    Value::Object(schema)
}

fn catalog(functions: &[Function]) -> Catalog {
    let tool = |function: &Function| {
        let Function { name, description, schema } = function.clone();
        let run = |_: Value, _: CallContext| async { Ok::<_, ToolError>("done") };
        SchemaTool::new(name, description, Risk::Read, schema, run)
    };
    let builder = Toolkit::builder().only([]).output_pages(false);
    let builder = functions.iter().map(tool).fold(builder, toolkit::Builder::tool);
    builder.build().unwrap().catalog(&CallContext::model())
}

fn task(entry: &Entry) -> Task {
    Task::new(&entry.text).expect(&entry.expect)
}

/// What plain BM25 reaches.
const AMONG_OFFERED: f64 = 0.975;
const AMONG_ALL: f64 = 0.800;

#[tokio::test]
#[ignore = "reads the package bfcl-eval, which `bash .ci/run bfcl` fetches"]
async fn words_lead_to_the_right_function_as_often_as_plain_bm25() {
    let folder = std::env::var_os("TOOLKIT_BFCL").map(PathBuf::from);
    let folder = folder.expect("TOOLKIT_BFCL names the folder that bfcl-eval is in");
    let entries = entries(&folder);
    let mut all: HashMap<&str, &Function> = HashMap::new();
    for function in entries.iter().flat_map(|entry| &entry.functions) {
        all.entry(&function.name).or_insert(function);
    }
    let mut offered = 0;
    for entry in &entries {
        let selection = select(&Lexical::new(), &catalog(&entry.functions), [task(entry)]).await;
        offered += usize::from(selection.top_1() > 0.5);
    }
    let count = entries.len() as f64;
    let offered = offered as f64 / count;
    let all: Vec<Function> = all.into_values().cloned().collect();
    let catalog = catalog(&all);
    let selection = select(&Lexical::new(), &catalog, entries.iter().map(task)).await;
    println!(
        "BFCL v4 multiple, {count} tasks, top-1: {offered:.3} among the functions that an entry offers \
         (at least {AMONG_OFFERED:.3}), {:.3} among all {} (at least {AMONG_ALL:.3})",
        selection.top_1(),
        all.len(),
    );
    assert_eq!((entries.len(), all.len()), (200, 443), "another edition");
    assert!(offered >= AMONG_OFFERED && selection.top_1() >= AMONG_ALL);
}
