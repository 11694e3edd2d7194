//! Counts what is in stock. Of 40 pens 2 were sold, and yet there are -2: find out where.
use std::collections::HashMap;

struct Change {
    article: String,
    pieces: i32,
}

fn count(changes: &[Change]) -> HashMap<String, i32> {
    let mut stock = HashMap::new();
    for change in changes {
        let pieces = stock.entry(change.article.clone()).or_insert(0);
        *pieces = change.pieces;
    }
    stock
}

fn main() {
    let changes: Vec<Change> = [("pen", 40), ("ink", 7), ("pen", -2)]
        .map(|(article, pieces)| Change { article: article.to_string(), pieces })
        .into();
    let stock = count(&changes);
    println!("pens: {}", stock["pen"]);
}
