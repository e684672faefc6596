//! Real weights against vectors that other software made of the same weights.

use crate::support::home;
use kenning::types::Role;

#[test]
fn pull_and_encode() {
    let encoder = home::encoder("bge-small-en-v1.5-int8");
    let out = encoder.encode(&["hello world", ""], Role::Passage, &mut |_| {}).unwrap();
    println!("{} {:?} {}", encoder.fingerprint(), &out[0].vector[..8], out[0].tokens);
    println!("{:?}", &out[1].vector[..8]);
}
