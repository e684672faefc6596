//! The service: agents that speak to a process, programs and browsers that reach it over HTTP, and that all of them are
//! told what the command line prints.

mod http;
mod life;
mod mcp;
mod parity;
mod trust;
