//! The service: agents that speak to a process.

mod items; // what programs put in, and who learns of it
mod mcp; // an agent
