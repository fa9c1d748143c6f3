//! Which ids a `distractors:` block stands for, when a trace carries no surface.

use mcptest_suite::distractors::{bundled, draw, near_duplicates};
use mcptest_suite::model::{Distractors, SourceKind};

/// The ids of the `count` distractors; the error says why they cannot be told.
///
/// `file` holds the ids of a `from: file` source, which the caller has read, or why it could not.
pub fn from_block(
    block: &Distractors,
    count: u32,
    file: Option<&Result<Vec<String>, String>>,
) -> Result<Vec<String>, String> {
    let wanted = count as usize;
    let pool = match block.source.from {
        SourceKind::Catalog => bundled().iter().map(|tool| tool.id()).collect::<Vec<_>>(),
        SourceKind::File => file.ok_or("the distractors' file was not read")?.clone()?,
        SourceKind::NearDuplicate => {
            let of = block.source.of.as_deref().unwrap_or_default();
            let made = near_duplicates(of, &block.correct)
                .into_iter()
                .map(|made| made.id)
                .collect::<Vec<_>>();
            return if made.len() < wanted {
                Err(too_few(wanted, made.len()))
            } else {
                Ok(made[..wanted].to_vec())
            };
        }
        SourceKind::Server => {
            return Err(
                "distractors `from: server` are only known from a surface, and the trace has none"
                    .to_owned(),
            );
        }
    };
    if pool.len() < wanted {
        return Err(too_few(wanted, pool.len()));
    }
    Ok(draw(pool.len(), wanted, block.seed).into_iter().map(|at| pool[at].clone()).collect())
}

fn too_few(wanted: usize, held: usize) -> String {
    format!("{wanted} distractors are asked for, but the source holds {held}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn block(source: serde_json::Value) -> Distractors {
        serde_json::from_value(
            json!({"count": 3, "source": source, "correct": ["catalog.search_products"]}),
        )
        .unwrap()
    }

    #[test]
    fn look_alikes_come_in_the_order_of_the_contract() {
        let near =
            block(json!({"from": "near_duplicate", "of": ["search_products", "get_product"]}));
        assert_eq!(
            from_block(&near, 3, None).unwrap(),
            ["search_products_v2", "get_product_v2", "search_products_internal"]
        );
        assert!(from_block(&near, 99, None).unwrap_err().contains("the source holds"));
    }

    #[test]
    fn the_bundled_sets_nest_and_follow_the_seed() {
        let mut catalog = block(json!({"from": "catalog"}));
        let (small, large) =
            (from_block(&catalog, 4, None).unwrap(), from_block(&catalog, 16, None).unwrap());
        assert_eq!(small, large[..4]);
        catalog.seed = 1;
        assert_ne!(small, from_block(&catalog, 4, None).unwrap());
    }

    #[test]
    fn servers_of_the_test_are_not_known_offline() {
        assert!(
            from_block(&block(json!({"from": "server"})), 1, None).unwrap_err().contains("surface")
        );
    }
}
