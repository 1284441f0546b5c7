//! Several questions about one program, answered side by side.
//!
//! ```text
//! Program ── text ──► a thread: Program ─► storages ─► choices ──┐
//!    └── storages, and what the caller does meanwhile ───────────┴──► tilings
//! ```
//!
//! Objects of isl stay on their thread, so the program goes to the others as text, and what they choose, which is plain
//! numbers, comes back.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use redblue_cert::text::{ProgramText, StatementText, Value};
use redblue_poly::Context;
use redblue_program::{Access, Program, Statement};

use crate::error::{Result, ScheduleError};
use crate::storage::{Stored, storages, storages_until};
use crate::threads::{STACK, processors};
use crate::tile::{Choice, choose, tilings};
use crate::tiling::{Options, Tiling};

/// For each question what [`crate::tile_nested`] answers, and what the caller finds out while the searches go on.
pub fn tile_all<T>(
    program: &Program,
    questions: &[Options],
    meanwhile: impl FnOnce() -> T,
) -> (Vec<Result<Vec<Tiling>>>, T) {
    let text = ProgramText::of(program);
    // The text knows no sizes that the source gives.
    let complete = |question: &Options| {
        let mut question = question.clone();
        if let Ok(sizes) = program.all_sizes(&question.sizes) {
            question.sizes = sizes;
        }
        question
    };
    let questions: Vec<Options> = questions.iter().map(complete).collect();
    let next = AtomicUsize::new(0);
    let (choices, storages, found) = thread::scope(|scope| {
        let work = || answers(&text, &questions, &next);
        let threads = processors().min(questions.len());
        let threads = (0..threads).map_while(|_| {
            let builder = thread::Builder::new().stack_size(STACK);
            builder.spawn_scoped(scope, work).ok()
        });
        let threads: Vec<_> = threads.collect();
        let found = meanwhile();
        let storages = storages(program);
        let mut choices = BTreeMap::new();
        for thread in threads {
            match thread.join() {
                Ok(more) => choices.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        (choices, storages, found)
    });
    (finished(&storages, &questions, choices), found)
}

/// What was chosen for a question, and the program with the storage chosen.
type Answer = Result<(Choice, ProgramText)>;

/// Answers the next question, until there is none left. A thread on which the program cannot be made ready answers none.
fn answers(text: &ProgramText, questions: &[Options], next: &AtomicUsize) -> Vec<(usize, Answer)> {
    let mut found = Vec::new();
    // The first question pays for the storages.
    let mut begun = Instant::now();
    let end = questions.first().and_then(|question| question.end(begun));
    let Some(storages) = stored(text, end) else {
        return found;
    };
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(question) = questions.get(at) else {
            return found;
        };
        let choice = choose(&storages, &question.since(begun)).map(|choice| {
            let text = ProgramText::of(&storages[choice.storage].program);
            (choice, text)
        });
        found.push((at, choice));
        begun = Instant::now();
    }
}

/// The program on this thread, with all its storages that are found by the end.
fn stored(text: &ProgramText, end: Option<Instant>) -> Option<Vec<Stored>> {
    let program = text.to_program(&Context::new().ok()?).ok()?;
    storages_until(&program, end).ok()
}

/// The tilings of all questions. What was not answered, or is about something else, is chosen here.
fn finished(
    storages: &Result<Vec<Stored>>,
    questions: &[Options],
    mut choices: BTreeMap<usize, Answer>,
) -> Vec<Result<Vec<Tiling>>> {
    let finish = |(at, question): (usize, &Options)| {
        let storages = match storages {
            Ok(storages) => storages,
            Err(error) => return Err(ScheduleError::Unready(error.to_string())),
        };
        let known = choices.remove(&at).transpose()?;
        let known = known.filter(|(choice, text)| {
            let stored = storages.get(choice.storage);
            stored.is_some_and(|stored| is_same(&stored.program, text))
        });
        let choice = match known {
            Some((choice, _)) => choice,
            None => choose(storages, &question.in_haste())?,
        };
        tilings(storages, question, choice)
    };
    questions.iter().enumerate().map(finish).collect()
}

/// Whether a text is that of a program. What limits of isl cut short may differ by thread, where sets are written in another
/// way.
fn is_same(program: &Program, text: &ProgramText) -> bool {
    let Ok(other) = text.to_program(program.context.context()) else {
        return false;
    };
    let own = ProgramText::of(program);
    let values = |text: &ProgramText| -> Vec<(String, Value)> {
        let statements = text.statements.iter();
        let value = |s: &StatementText| (s.name.clone(), s.value.clone());
        statements.map(value).collect()
    };
    let accesses = |(one, other): (&Access, &Access)| one.map.is_equal(&other.map).unwrap_or(false);
    let statements = |(one, other): (&Statement, &Statement)| {
        one.reads.len() == other.reads.len()
            && one.domain.is_equal(&other.domain).unwrap_or(false)
            && one.schedule.is_equal(&other.schedule).unwrap_or(false)
            && accesses((&one.write, &other.write))
            && one.reads.iter().zip(&other.reads).all(accesses)
    };
    let mut pairs = program.statements.iter().zip(&other.statements);
    (&own.params, &own.arrays) == (&text.params, &text.arrays)
        && values(&own) == values(text)
        && program.context.is_equal(&other.context).unwrap_or(false)
        && pairs.all(statements)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use redblue_cert::Model;
    use redblue_program::catalogue::find;

    use super::*;
    use crate::tile::tile_nested;

    /// Questions for several memories, the last one with two levels.
    fn questions(sizes: &[(&str, i64)]) -> Vec<Options> {
        let memories: [&[u64]; 3] = [&[9], &[60], &[60, 400]];
        let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size));
        let question = |fast: &&[u64]| Options {
            model: Model::default(),
            fast: fast.to_vec(),
            sizes: sizes.clone().collect(),
            time_limit: None,
            work: Options::WORK,
        };
        memories.iter().map(question).collect()
    }

    #[test]
    fn answers_are_those_of_one_thread() {
        // The second has a local array, the last is unfolded.
        for (name, sizes) in [
            ("gemm", &[("NI", 20), ("NJ", 21), ("NK", 22)][..]),
            ("doitgen", &[("NR", 6), ("NQ", 7), ("NP", 8)]),
            ("stencil-1d", &[("N", 40), ("T", 8)]),
        ] {
            let program = find(name)
                .unwrap()
                .read(&Default::default())
                .program
                .unwrap();
            let questions = questions(sizes);
            let (all, seven) = tile_all(&program, &questions, || 7);
            assert_eq!((all.len(), seven), (questions.len(), 7));
            for (question, aside) in questions.iter().zip(all) {
                let alone = tile_nested(&program, question).unwrap();
                let aside = aside.unwrap();
                assert_eq!(alone.len(), aside.len());
                for (one, other) in alone.iter().zip(&aside) {
                    let about = format!("{name}, {:?}", question.fast);
                    assert_eq!(one.traffic, other.traffic, "{about}");
                    assert_eq!(one.formula, other.formula, "{about}");
                    assert_eq!(
                        format!("{:?}", one.order),
                        format!("{:?}", other.order),
                        "{about}"
                    );
                    let arrays = |tiling: &Tiling| {
                        tiling
                            .program
                            .arrays
                            .iter()
                            .map(|a| a.role)
                            .collect::<Vec<_>>()
                    };
                    assert_eq!(arrays(one), arrays(other), "{about}");
                }
            }
        }
    }

    #[test]
    fn each_question_has_its_own_refusal() {
        let program = find("gemm")
            .unwrap()
            .read(&Default::default())
            .program
            .unwrap();
        let mut questions = questions(&[("NI", 5), ("NJ", 6), ("NK", 7)]);
        questions[0].fast = vec![1];
        questions[2].sizes.clear();
        questions.push(questions[1].clone());
        let (all, ()) = tile_all(&program, &questions, || ());
        assert!(matches!(
            all[0],
            Err(ScheduleError::TooFewWords { words: 1, .. })
        ));
        assert!(all[1].is_ok());
        assert!(all[2].is_err());
        assert!(all[3].is_ok());
        assert!(tile_all(&program, &[], || ()).0.is_empty());
    }

    #[test]
    fn programs_that_differ_are_told_apart() {
        let read = |name: &str| {
            find(name)
                .unwrap()
                .read(&Default::default())
                .program
                .unwrap()
        };
        let gemm = read("gemm");
        let text = ProgramText::of(&gemm);
        assert!(is_same(&gemm, &text));
        assert!(!is_same(&read("2mm"), &text));
        let mut fewer = text.clone();
        fewer.statements.pop();
        assert!(!is_same(&gemm, &fewer));
        let mut other = text.clone();
        other.statements[0].domain = other.statements[0].domain.replace("NI", "NJ");
        assert!(!is_same(&gemm, &other));
    }
}
