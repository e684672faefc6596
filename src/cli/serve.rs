//! `ken serve`.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::surroundings::{Surroundings, working_directory};
use super::{Global, Outcome};
use crate::config::{Environment, Paths, Right, ServeSettings, Tokens, own_token};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::system::{self, HAS_SOCKETS};
use crate::engine::{Engine, EngineError, EngineSettings};
use crate::render::{json_object, line, shown};
use crate::serve::Service;
use crate::serve::http::{Admission, HttpOptions, Place, serve};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde_json::json;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest that `--check` waits.
const CHECK_TIME: Duration = Duration::from_secs(5);

/// Serve programs, agents and browsers over HTTP, with a page to search
///
/// Prints the address of the page when it is ready, and ends on Ctrl-C. Only this machine can reach it, and only with a
/// token: the first start makes one, in a file that you alone can read. Programs ask as /openapi.json describes; agents
/// use /mcp.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Examples:
  ken serve                              at 127.0.0.1:7717, with a page
  ken serve --open                       and open the page
  ken serve --unix /run/user/1000/ken    at a socket of the file system
  ken serve --check                      say whether one answers
  ken serve token add ci --right read    make a token for a program

Exit code: 0 when it was told to end; with --check 0 if one answers, else 10."
)]
pub(super) struct ServeArgs {
    #[command(subcommand)]
    verb: Option<ServeVerb>,
    /// Address and port [default: 127.0.0.1:7717, setting: serve.listen]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Listen at this socket of the file system instead
    #[arg(long, value_name = "PATH", conflicts_with_all = ["listen", "open"], hide = !HAS_SOCKETS)]
    unix: Option<PathBuf>,
    /// A name that the service is reached by; repeatable [setting: serve.hosts]
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Answer everybody on this machine, without a token
    #[arg(long)]
    no_token: bool,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Say whether a running service answers, and exit
    #[arg(long)]
    check: bool,
}

#[derive(Debug, Subcommand)]
enum ServeVerb {
    /// Make, list and remove tokens
    #[command(subcommand)]
    Token(TokenVerb),
}

#[derive(Debug, Subcommand)]
enum TokenVerb {
    /// Make a token and print it; it is shown this once
    #[command(after_help = "\
Examples:
  ken serve token add grafana --right read
  ken serve token add wiki --right write --scope git:0123456789abcdef")]
    Add {
        /// What it is called
        name: String,
        /// What it is for; each right includes those before it
        #[arg(long, value_name = "RIGHT", default_value = "read", value_parser = rights())]
        right: Right,
        /// Only items of this scope; repeatable
        #[arg(long = "scope", value_name = "SCOPE")]
        scopes: Vec<String>,
    },
    /// List the tokens, without what they are
    #[command(after_help = "Example:\n  ken serve token list")]
    List,
    /// Remove a token; programs that use it are refused from then on
    #[command(after_help = "Example:\n  ken serve token remove grafana")]
    Remove {
        /// What it is called
        name: String,
    },
}

fn rights() -> impl TypedValueParser<Value = Right> {
    let of = |name: String| Right::ALL.into_iter().find(|right| right.name() == name).ok_or("no such right");
    PossibleValuesParser::new(Right::ALL.map(Right::name)).try_map(of)
}

pub(super) fn run(global: &Global, args: &ServeArgs, output: &Output) -> Outcome {
    let surroundings = Surroundings::open(global, output)?;
    let settings = surroundings.config.settings().clone();
    if let Some(ServeVerb::Token(verb)) = &args.verb {
        return tokens(verb, &surroundings.paths, output);
    }
    let listen = args.listen.as_ref().unwrap_or(&settings.serve.listen);
    if args.check {
        return check(args.unix.as_deref(), listen, output);
    }
    let hosts: Vec<String> = args.hosts.iter().chain(&settings.serve.hosts).cloned().collect();
    let given = given_by_the_system()?;
    let place = match (given, args.unix.as_deref()) {
        (Some(place), _) => place,
        (None, Some(path)) => Place::Unix(super::socket::listen(path)?),
        _ => Place::Tcp(bind(listen, &hosts, args.no_token)?),
    };
    let admission = admission(args.no_token, &surroundings.paths)?;
    tell(&place, &admission, args, &surroundings.paths, output)?;
    let here = working_directory()?;
    let mut engine = EngineSettings { remembers: true, ..surroundings.settings() };
    if let Some(models) = &mut engine.models {
        // Many ask at a time: each question has a thread of its own, and none is split over several.
        models.encoder.question_threads = None;
    }
    let ServeSettings { folders, .. } = settings.serve.clone();
    let excludes = surroundings.git_excludes();
    let service = Service::new(Engine::new(engine), settings, here, now_ms).with_excludes(excludes);
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let options = HttpOptions { place, hosts, admission, folders, threads };
    serve(options, service).map_err(|error| Failure::io("the service", &error))?;
    if let Some(path) = &args.unix {
        drop(std::fs::remove_file(path));
    }
    Ok(0)
}

/// Who may ask.
fn admission(open: bool, paths: &Paths) -> Result<Admission, Failure> {
    if open {
        return Ok(Admission::Open);
    }
    let (Some(own), Some(list)) = (paths.own_token(), paths.tokens()) else { return Err(EngineError::NoHome.into()) };
    let folder = paths.data.as_deref().unwrap_or(Path::new("."));
    system::make_private(folder).map_err(Failure::from)?;
    // A list that is damaged would let nobody in later; now somebody hears of it.
    Tokens::read(&list)?;
    Ok(Admission::Tokens { own: own_token(&own)?, list })
}

/// A socket that the system's manager has opened for us.
fn given_by_the_system() -> Result<Option<Place>, Failure> {
    let mut given = listenfd::ListenFd::from_env();
    if given.len() == 0 {
        return Ok(None);
    }
    if let Ok(Some(listener)) = given.take_tcp_listener(0) {
        return Ok(Some(Place::Tcp(listener)));
    }
    if let Some(listener) = system::given_listener(&mut given) {
        return Ok(Some(Place::Unix(listener)));
    }
    let hint = "let the system's manager open an address with a port, or a socket of the file system";
    Err(Failure::new(ErrorKind::Usage, "the socket given by the system is of no sort that can be used", hint))
}

fn bind(listen: &str, hosts: &[String], open: bool) -> Result<TcpListener, Failure> {
    let address = address_of(listen)?;
    if !address.ip().is_loopback() {
        if open {
            let text = "without a token only this machine may be answered";
            return Err(Failure::new(ErrorKind::Usage, text, "leave --no-token out, or listen at 127.0.0.1"));
        }
        if hosts.is_empty() {
            let text = format!("{listen} can be reached from elsewhere, and no host is named");
            let hint = "name what it is reached by: `--host ken.example.org`; put a proxy with TLS before it";
            return Err(Failure::new(ErrorKind::Usage, text, hint));
        }
    }
    TcpListener::bind(address).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            let hint = "ask it: `ken serve --check`, or listen elsewhere: `ken serve --listen 127.0.0.1:0`";
            Failure::new(ErrorKind::Busy, format!("something listens at {listen} already"), hint)
        }
        _ => Failure::io(listen, &error),
    })
}

fn address_of(listen: &str) -> Result<SocketAddr, Failure> {
    let found = listen.to_socket_addrs().ok().and_then(|mut all| all.next());
    found.ok_or_else(|| {
        let text = format!("{} is no address with a port", line(listen));
        Failure::new(ErrorKind::Usage, text, "write it as 127.0.0.1:7717")
    })
}

/// Says where it listens. The token is shown on a terminal alone: elsewhere it would stand in a log.
fn tell(place: &Place, admission: &Admission, args: &ServeArgs, paths: &Paths, output: &Output) -> Result<(), Failure> {
    let address = match place {
        Place::Tcp(listener) => {
            let address = listener.local_addr().map_err(|error| Failure::io("the service", &error))?;
            format!("http://{address}/")
        }
        Place::Unix(listener) => {
            let path = system::path_of(listener).map_err(|error| Failure::io("the service", &error))?;
            format!("unix:{}", path.as_deref().map(shown).unwrap_or_default())
        }
    };
    let file = paths.own_token();
    let of_page = match (admission, place) {
        (Admission::Tokens { own, .. }, Place::Tcp(_)) => format!("{address}#token={own}"),
        _ => address.clone(),
    };
    if output.json {
        let file = matches!(admission, Admission::Tokens { .. }).then_some(file).flatten();
        output.print(&json_object(&json!({"address": address, "token_file": file})))?;
    } else if output.interactive || args.no_token {
        output.print(&format!("{of_page}\n"))?;
        output.say("Serving; Ctrl-C ends it.");
    } else {
        output.print(&format!("{address}\n"))?;
        if let Some(file) = file {
            output.say(&format!("The token is in {}.", shown(&file)));
        }
    }
    if args.open { open(&of_page, paths, output) } else { Ok(()) }
}

/// Opens the page. The address goes by way of a file that the owner alone can read: what a program is started with can
/// be read by all on the machine.
fn open(address: &str, paths: &Paths, output: &Output) -> Result<(), Failure> {
    let Some(data) = &paths.data else { return Err(EngineError::NoHome.into()) };
    let file = data.join("open.html");
    let text = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={address}\">\n");
    system::write_aside(&file, text.as_bytes()).map_err(|error| Failure::io(&shown(&file), &error))?;
    let named = Environment::new(std::env::vars_os()).raw("BROWSER").map(ToOwned::to_owned);
    let browser = named.unwrap_or_else(|| system::BROWSER.into());
    let started = system::as_typed(&browser).arg(&file).spawn();
    if let Err(error) = started {
        output.note(&format!("the page was not opened: {}: {error}", shown(Path::new(&browser))));
    }
    Ok(())
}

fn check(unix: Option<&Path>, listen: &str, output: &Output) -> Outcome {
    let name = unix.map_or_else(|| format!("http://{listen}/"), |path| format!("unix:{}", shown(path)));
    let answer = match unix {
        Some(path) => system::connect_to(path, CHECK_TIME).and_then(|stream| ask(stream, "localhost")),
        None => {
            let address = address_of(listen)?;
            TcpStream::connect_timeout(&address, CHECK_TIME).and_then(|stream| {
                stream.set_read_timeout(Some(CHECK_TIME))?;
                ask(stream, &address.to_string())
            })
        }
    };
    let is_ready =
        answer.as_ref().is_ok_and(|answer| answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"ready\""));
    if !is_ready {
        let (why, hint) = match answer {
            Ok(answer) if answer.contains("\"store_unreachable\"") => {
                ("its store cannot be used".to_owned(), "run `ken doctor` on the machine of the service: it says why")
            }
            Ok(_) => {
                ("no ken service is ready there".to_owned(), "wait until it has started, or start it: `ken serve`")
            }
            Err(error) => (error.to_string(), "start it: `ken serve`"),
        };
        return Err(Failure::new(ErrorKind::Network, format!("{name}: {why}"), hint));
    }
    if output.json {
        output.print(&json_object(&json!({"address": name, "ready": true})))?;
    } else {
        output.print(&format!("{name} is ready\n"))?;
    }
    Ok(0)
}

/// Asks a service whether it is ready; what it says is short.
fn ask(mut stream: impl Read + Write, host: &str) -> io::Result<String> {
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.take(4096).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn tokens(verb: &TokenVerb, paths: &Paths, output: &Output) -> Outcome {
    let (Some(list), Some(data)) = (paths.tokens(), &paths.data) else { return Err(EngineError::NoHome.into()) };
    system::make_private(data).map_err(Failure::from)?;
    let mut tokens = Tokens::read(&list)?;
    match verb {
        TokenVerb::Add { name, right, scopes } => {
            let token = tokens.add(name, *right, scopes.clone())?;
            match output.json {
                true => output.print(&json_object(&json!({"name": name, "right": right, "token": token})))?,
                false => output.print(&format!("{token}\n"))?,
            }
        }
        TokenVerb::List if output.json => {
            let all: Vec<_> = tokens
                .all()
                .iter()
                .map(|token| json!({"name": token.name, "right": token.right, "scopes": token.scopes}))
                .collect();
            output.print(&json_object(&json!({"tokens": all})))?;
        }
        TokenVerb::List => {
            for token in tokens.all() {
                let scopes = if token.scopes.is_empty() { "all scopes".to_owned() } else { token.scopes.join(", ") };
                output.print(&format!("{:20} {:6} {}\n", line(&token.name), token.right.name(), line(&scopes)))?;
            }
        }
        TokenVerb::Remove { name } => {
            if !tokens.remove(name)? {
                let text = format!("there is no token {}", line(name));
                return Err(Failure::new(ErrorKind::Usage, text, "list them: `ken serve token list`"));
            }
            output.say("Removed.");
        }
    }
    Ok(0)
}
