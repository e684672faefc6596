//! The service: agents that speak to a process, programs and browsers that reach it over HTTP, and that all of them are
//! told what the command line prints.

mod http; // what only the service has: vectors, jobs, counts, its description
mod items; // what programs put in, and who learns of it
mod life; // how it begins and ends, and what broken connections do
mod mcp; // an agent
mod parity; // all faces say the same
mod trust; // attacks
