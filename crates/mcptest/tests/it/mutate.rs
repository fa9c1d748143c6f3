//! Seeded damage to text, the kinds that hands and disks do.

/// Marsaglia's xorshift, seeded, so that a failure happens again.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Values where others stood.
const VALUES: &[&str] = &[
    "-1",
    "0",
    "101",
    "1e999",
    ".nan",
    "99999999999999999999999",
    "0.30000000000000000001",
    "true",
    "null",
    "~",
    "\"\"",
    "[]",
    "{}",
    "[[[[]]]]",
    "{ a: { b: [1, 2] } }",
    "\"${env.\"",
    "\"${nope}\"",
    "2001-01-01",
    "0x1F",
    "!!binary aGk=",
    "*nowhere",
    "&x *x",
    "|",
    "> \n",
    "\u{202e}abc",
    "\"(\"",
    "東京 🗼",
];

/// Bytes that end up in files.
const BITS: &[&str] = &[
    "\t",
    "\0",
    "\u{7f}",
    "\u{1b}[31m",
    "\u{feff}",
    "\r",
    "\u{2028}",
    ":",
    "- ",
    "? ",
    "#",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&a ",
    "*a",
    "!x ",
    "%YAML 9\n",
    "---\n",
    "...\n",
    "\n\n",
    "<<",
    "\\",
    "é",
    "🗼",
];

/// One to three kinds of damage to a suite.
pub fn suite(random: &mut Random, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        text = match random.below(9) {
            0 => truncated(random, &text),
            1 => stuffed(random, &text),
            2 => flipped(random, &text),
            3 => {
                lines(random, &text, |random, lines| drop(lines.remove(random.below(lines.len()))))
            }
            4 => lines(random, &text, |random, lines| {
                let line = random.pick(lines).clone();
                lines.insert(random.below(lines.len()), line);
            }),
            5 => lines(random, &text, |random, lines| misspelled(random, lines)),
            6 => lines(random, &text, |random, lines| swapped_value(random, lines)),
            7 => lines(random, &text, |random, lines| {
                let (a, b) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(a, b);
            }),
            _ => lines(random, &text, |random, lines| indented(random, lines)),
        };
    }
    text
}

/// One or two kinds of damage to a trace.
pub fn trace(random: &mut Random, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(2) {
        text = match random.below(3) {
            0 => truncated(random, &text),
            1 => stuffed(random, &text),
            _ => flipped(random, &text),
        };
    }
    text
}

/// A place between two characters.
fn place(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn truncated(random: &mut Random, text: &str) -> String {
    text[..place(random, text)].to_owned()
}

fn stuffed(random: &mut Random, text: &str) -> String {
    let at = place(random, text);
    format!("{}{}{}", &text[..at], random.pick(BITS), &text[at..])
}

/// One character with some bits of its number flipped.
fn flipped(random: &mut Random, text: &str) -> String {
    let at = place(random, text);
    let mut rest = text[at..].chars();
    let Some(old) = rest.next() else { return text.to_owned() };
    let new = char::from_u32(u32::from(old) ^ (1 << random.below(8))).unwrap_or('?');
    format!("{}{new}{}", &text[..at], rest.as_str())
}

fn lines(
    random: &mut Random,
    text: &str,
    change: impl FnOnce(&mut Random, &mut Vec<String>),
) -> String {
    let mut lines = text.split('\n').map(str::to_owned).collect::<Vec<_>>();
    change(random, &mut lines);
    lines.join("\n")
}

/// A letter of a key doubled, dropped or changed.
fn misspelled(random: &mut Random, lines: &mut [String]) {
    let keyed = lines.iter_mut().filter(|line| line.contains(':')).collect::<Vec<_>>();
    let count = keyed.len();
    let Some(line) = keyed.into_iter().nth(random.below(count)) else { return };
    let key = line.split(':').next().unwrap_or_default().chars().count();
    let mut letters = line.chars().collect::<Vec<_>>();
    let at = random.below(key);
    match random.below(3) {
        0 => letters.insert(at, 'x'),
        1 if !letters.is_empty() => drop(letters.remove(at)),
        _ if !letters.is_empty() => letters[at] = 'q',
        _ => {}
    }
    *line = letters.into_iter().collect();
}

/// Another value behind a colon or a dash.
fn swapped_value(random: &mut Random, lines: &mut [String]) {
    let line = random.below(lines.len());
    let line = &mut lines[line];
    let marks = [": ", "- "].iter().filter_map(|mark| line.rfind(mark)).max();
    if let Some(at) = marks {
        line.truncate(at + 2);
        line.push_str(random.pick::<&str>(VALUES));
    }
}

/// A line further in or out.
fn indented(random: &mut Random, lines: &mut [String]) {
    let line = random.below(lines.len());
    let line = &mut lines[line];
    *line = match random.below(4) {
        0 => format!(" {line}"),
        1 => format!("    {line}"),
        2 => format!("\t{line}"),
        _ => line.strip_prefix(' ').unwrap_or(line).to_owned(),
    };
}
