//! What tests share: models for tests, a hub on loopback, small models made on the spot.

pub mod home;
