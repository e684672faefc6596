//! Random histories through the engine: what is stored is what the log comes to, byte for byte.

use kenning::engine::{Decision, Engine, EngineSettings, KeepLearnt, Notes, Remember, Session, SessionText};
use kenning::types::{Access, Author, Authority, Kind, MemorySource, Scope, Wording};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that jumps, forwards and back.
static NOW: AtomicI64 = AtomicI64::new(1_000_000_000_000);

fn now() -> i64 {
    NOW.load(Ordering::Relaxed)
}

fn engine(data: &Path) -> Engine {
    Engine::new(EngineSettings {
        data: Some(data.to_owned()),
        shared: None,
        config: None,
        cache: None,
        user_packs: None,
        repository_packs: None,
        vectors: None,
        model: "none".to_owned(),
        calibration: None,
        reranker: "none".to_owned(),
        recall_target: 1.0,
        max_noise: 0.03,
        remembers: false,
        models: None,
        later: None,
    })
}

/// A generator that is the same everywhere (xorshift, Marsaglia 2003).
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

#[test]
fn what_is_stored_is_what_the_log_comes_to() {
    let steps = crate::support::long::amount("KEN_MEMORY_STEPS", 10_000, 400);
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let session = Session::new(now, Notes::default());
    let mut chance = Chance(7);
    let here = [Scope::repository("a"), Scope::repository("b"), Scope::global()];
    let access = here.clone().map(|scope| Access::all().from_home(&scope));
    let mut ids: Vec<(usize, String)> = Vec::new();
    for step in 0..steps {
        NOW.fetch_add(chance.below(2_000) as i64 - 700, Ordering::Relaxed);
        let place = chance.below(3) as usize;
        let author = if chance.below(3) == 0 { Author::Program("p".to_owned()) } else { Author::Person };
        let from = format!("s{}", chance.below(8));
        let by = (&author, from.as_str());
        let known: Vec<String> = ids.iter().filter(|(at, _)| *at == place).map(|(_, id)| id.clone()).collect();
        let one = (!known.is_empty()).then(|| known[chance.below(known.len() as u64) as usize].clone());
        match (chance.below(20), one) {
            (0..=8, one) => {
                let kind = [Kind::Fact, Kind::Preference, Kind::Tactic][chance.below(3) as usize];
                let some = |text: &str, chance: &mut Chance| Some(format!("{text}{}", chance.below(12)));
                let words = Wording {
                    text: format!("what was learnt about thing{}", chance.below(60)),
                    category: if kind == Kind::Preference { some("c", &mut chance) } else { None },
                    pattern: if kind == Kind::Preference { some("p", &mut chance) } else { None },
                    service: if kind == Kind::Fact { some("v", &mut chance) } else { None },
                    ..Wording::default()
                };
                let error = (kind == Kind::Tactic).then(|| {
                    format!("error: thing{} cannot be opened\n", ["x", "y", "z"][chance.below(3) as usize]).into_bytes()
                });
                let wanted = Remember {
                    kind,
                    scope: here[place].clone(),
                    authority: Authority::Personal,
                    words,
                    worked: (kind == Kind::Tactic).then(|| chance.below(2) == 0),
                    error,
                    until: (chance.below(5) == 0).then(|| now() + chance.below(9_000) as i64 - 4_000),
                    source: MemorySource::Said,
                    update: one.clone().filter(|_| kind != Kind::Tactic && chance.below(6) == 0),
                    derived_from: one.into_iter().filter(|_| chance.below(3) == 0).collect(),
                    proposed: chance.below(6) == 0,
                    reread: false,
                };
                // What cannot be done (to update what was forgotten) is refused, and changes nothing.
                if let Ok(remembered) = engine.remember(wanted, by, &access[place], &session) {
                    ids.push((place, remembered.memory.memory.id));
                }
            }
            (9..=15, Some(id)) => {
                let decisions = [
                    Decision::Dispute,
                    Decision::Withdraw,
                    Decision::Confirm,
                    Decision::Approve,
                    Decision::Reject,
                    Decision::Contradict,
                ];
                let decision = decisions[chance.below(6) as usize];
                let words = Wording { because: Some(format!("reason {step}")), ..Wording::default() };
                drop(engine.decide(&[id], decision, words, by, &access[place], &session));
            }
            (16, Some(id)) => drop(engine.forget(&[id], &access[place], &session)),
            (17, _) => {
                let text = format!("User: remember that thing{} is blue\n", chance.below(30));
                let read = SessionText { bytes: text.as_bytes(), file: None, here: &here[place] };
                engine.learn(read, KeepLearnt::Sure, by, &access[place], &session).unwrap();
            }
            _ => {}
        }
        if step % 97 == 0 || step + 1 == steps {
            let replayed = engine.check_replay(&session).unwrap();
            assert_eq!(replayed.different, Vec::<String>::new(), "after {step} steps, {replayed:?}");
        }
        // Whoever asks from one repository sees nothing of another.
        if step % 31 == 0 {
            let filter = kenning::store::MemoryFilter::default();
            let page = engine.list_memories(&filter, None, 1_000, &access[place], &session).unwrap();
            let seen = |scope: &Scope| *scope == here[place] || *scope == Scope::global();
            assert!(page.memories.iter().all(|told| seen(&told.memory.scope)));
        }
    }
    assert!(ids.len() > 50);
    // Everything is made again from the log alone.
    let before = engine.check_replay(&session).unwrap();
    assert!(before.events as u32 > steps / 3, "{before:?}");
}
