//! Look-alikes of real tools: the name varied in a fixed order, round-robin over the originals.

/// A look-alike and the tool it imitates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearDuplicate {
    /// The original's id, as written in `of`.
    pub original: String,
    /// The look-alike's id: the original's with its name varied.
    pub id: String,
}

/// All look-alikes of `of`, in the order in which they are used; ids in `existing` are skipped.
///
/// `of` holds ids as written; `split` tells where the tool's name begins in one.
pub fn near_duplicates(of: &[String], existing: &[String]) -> Vec<NearDuplicate> {
    let originals = of.iter().map(|id| (id, split(id))).collect::<Vec<_>>();
    let mut made: Vec<NearDuplicate> = Vec::new();
    for variation in VARIATIONS {
        for (original, (server, name)) in &originals {
            let Some(varied) = variation(name) else { continue };
            let id = format!("{server}{varied}");
            let taken = of.contains(&id)
                || existing.iter().any(|known| split(known).1 == varied)
                || made.iter().any(|other| other.id == id);
            if !taken {
                made.push(NearDuplicate { original: (*original).clone(), id });
            }
        }
    }
    made
}

/// The server part with its dot (empty for a bare name) and the tool's name.
///
/// Tool names may contain dots and server names rarely do, so the first dot parts them.
fn split(id: &str) -> (&str, &str) {
    id.find('.').map_or(("", id), |dot| id.split_at(dot + 1))
}

type Variation = fn(&str) -> Option<String>;

/// In this order.
const VARIATIONS: &[Variation] = &[
    |name| Some(format!("{name}_v2")),
    |name| Some(format!("{name}_internal")),
    plural,
    |name| Some(name.to_uppercase()).filter(|upper| upper != name),
    |name| Some(format!("{name}_legacy")),
    |name| Some(format!("{name}_beta")),
    |name| Some(format!("{name}_new")),
    other_case,
    reversed,
    synonym,
];

/// The last word in the plural; nothing where it already is.
fn plural(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    if lower.ends_with('s') && !lower.ends_with("ss") {
        return None;
    }
    let before_last = lower.chars().rev().nth(1);
    if lower.ends_with('y') && !matches!(before_last, None | Some('a' | 'e' | 'i' | 'o' | 'u')) {
        return Some(format!("{}ies", &name[..name.len() - 1]));
    }
    let hissing = ["ss", "x", "z", "ch", "sh"].iter().any(|end| lower.ends_with(end));
    Some(format!("{name}{}", if hissing { "es" } else { "s" }))
}

/// camelCase, or snake_case where the name is camelCase already.
fn other_case(name: &str) -> Option<String> {
    let words = words(name);
    let varied = if name.contains(['_', '-', '.', '/']) {
        camel(&words)
    } else {
        words.join("_").to_lowercase()
    };
    Some(varied).filter(|varied| varied != name)
}

/// The words in the opposite order, joined as they were.
fn reversed(name: &str) -> Option<String> {
    let mut words = words(name);
    words.reverse();
    rejoin(name, &words).filter(|varied| varied != name)
}

/// The verb (the first word that has a synonym) replaced.
fn synonym(name: &str) -> Option<String> {
    const PAIRS: &[(&str, &str)] = &[
        ("search", "find"),
        ("find", "search"),
        ("get", "fetch"),
        ("fetch", "get"),
        ("list", "enumerate"),
        ("read", "load"),
        ("write", "save"),
        ("create", "add"),
        ("add", "create"),
        ("delete", "remove"),
        ("remove", "delete"),
        ("update", "modify"),
        ("edit", "modify"),
        ("modify", "update"),
        ("send", "post"),
        ("post", "send"),
        ("run", "execute"),
        ("execute", "run"),
        ("query", "lookup"),
        ("lookup", "query"),
        ("convert", "transform"),
        ("move", "relocate"),
        ("copy", "duplicate"),
        ("start", "launch"),
        ("stop", "halt"),
        ("open", "access"),
        ("close", "shut"),
        ("show", "display"),
        ("describe", "explain"),
        ("check", "verify"),
        ("calculate", "compute"),
        ("generate", "produce"),
        ("download", "retrieve"),
        ("upload", "submit"),
    ];
    let mut words = words(name);
    let (at, replacement) = words.iter().enumerate().find_map(|(at, word)| {
        let pair = PAIRS.iter().find(|(verb, _)| word.eq_ignore_ascii_case(verb))?;
        Some((at, pair.1))
    })?;
    words[at] = match_case(&words[at], replacement);
    rejoin(name, &words)
}

/// The words of a name, split at `_ - . /` and at camelCase humps.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before: Option<char> = None;
    for letter in name.chars() {
        let separator = matches!(letter, '_' | '-' | '.' | '/');
        let hump = letter.is_uppercase() && before.is_some_and(char::is_lowercase);
        if separator || hump {
            words.push(String::new());
        }
        if !separator && let Some(last) = words.last_mut() {
            last.push(letter);
        }
        before = Some(letter);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Joins words the way `name` joins its own; nothing for a single word.
fn rejoin(name: &str, words: &[String]) -> Option<String> {
    match name.chars().find(|letter| matches!(letter, '_' | '-' | '.' | '/')) {
        Some(separator) => Some(words.join(&separator.to_string())),
        None if name.chars().next().is_some_and(char::is_uppercase) => {
            Some(words.iter().map(|word| capital(word)).collect())
        }
        None => Some(camel(words)),
    }
}

fn camel(words: &[String]) -> String {
    words
        .iter()
        .enumerate()
        .map(|(at, word)| if at == 0 { word.to_lowercase() } else { capital(word) })
        .collect()
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn match_case(model: &str, word: &str) -> String {
    if model.chars().all(|letter| !letter.is_lowercase()) {
        word.to_uppercase()
    } else if model.chars().next().is_some_and(char::is_uppercase) {
        capital(word)
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(of: &[&str], existing: &[&str]) -> Vec<String> {
        let owned = |list: &[&str]| list.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        near_duplicates(&owned(of), &owned(existing)).into_iter().map(|made| made.id).collect()
    }

    #[test]
    fn one_name_in_the_order_of_the_contract() {
        assert_eq!(
            ids(&["get_product"], &[]),
            [
                "get_product_v2",
                "get_product_internal",
                "get_products",
                "GET_PRODUCT",
                "get_product_legacy",
                "get_product_beta",
                "get_product_new",
                "getProduct",
                "product_get",
                "fetch_product",
            ]
        );
    }

    #[test]
    fn round_robin_over_the_originals() {
        assert_eq!(
            ids(&["search_products", "get_product"], &[])[..5],
            [
                "search_products_v2",
                "get_product_v2",
                "search_products_internal",
                "get_product_internal",
                // search_products is a plural already.
                "get_products",
            ]
        );
    }

    #[test]
    fn a_name_that_exists_is_skipped() {
        let made = ids(&["catalog.search"], &["catalog.search_v2", "other.find"]);
        assert_eq!(made[0], "catalog.search_internal");
        assert!(!made.contains(&"catalog.search_v2".to_owned()));
        assert!(!made.contains(&"catalog.find".to_owned()));
    }

    #[test]
    fn camel_case_names_vary_too() {
        let made = ids(&["searchFiles"], &[]);
        for expected in ["SEARCHFILES", "search_files", "filesSearch", "findFiles"] {
            assert!(made.contains(&expected.to_owned()), "{expected} in {made:?}");
        }
    }

    #[test]
    fn odd_names_do_not_panic() {
        for name in ["", ".", "_", "é", "日本語", "a.b.c", "-", "Y", "x__y"] {
            ids(&[name], &[]);
        }
    }
}
