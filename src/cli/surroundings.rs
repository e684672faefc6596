//! From the process's surroundings to an engine.

use super::clock::now_ms;
use super::output::{Failure, Output};
use super::{Global, background, shared};
use crate::config::{self, Config, Environment, Origin, Paths, Trust, TrustState, git_excludes, has_a_say};
use crate::engine::face::failure::ErrorKind;
use crate::engine::face::indexing::repository_of;
use crate::engine::face::models::{EncoderSettings, Isa, PipSettings, ProxySettings, StoreSettings};
use crate::engine::face::system::{self, FOLDERS, Folders, Links, Programs, address_space};
use crate::engine::{AgentFolders, Engine, EngineError, EngineSettings, Notes, Session};
use crate::render::shown;
use crate::types::Calibration;
use crate::types::limits::CONFIG;
use std::path::{Path, PathBuf};

/// Configuration and paths of this process.
pub(super) struct Surroundings {
    pub config: Config,
    pub paths: Paths,
    environment: Environment,
    repository: Option<PathBuf>,
    notes: Notes,
}

impl Surroundings {
    /// Reads the configuration; a repository's counts only if it is trusted, and a message says so if it is not.
    pub fn open(global: &Global, output: &Output) -> Result<Self, Failure> {
        let environment = Environment::new(std::env::vars_os());
        let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
        let paths = Paths::find(&environment, &here)?;
        let repository = trusted_repository(&paths, output)?;
        let file = repository.as_ref().map(|folder| folder.join("config.toml"));
        let mut config = Config::resolve(paths.config.as_deref(), file.as_deref(), &environment)?;
        if let Some(model) = &global.model {
            config.set("model.name", model, Origin::Flag)?;
        }
        if let Some(encoder) = &global.encoder {
            config.set("model.encoder", encoder, Origin::Flag)?;
        }
        background::same_model(global);
        if let Some(precision) = &global.precision {
            config.set("model.precision", precision, Origin::Flag)?;
        }
        if let Some(simd) = config.settings().model.simd.isa().filter(|simd| Isa::named(simd).is_none()) {
            let text = format!("this processor does not have {simd}");
            return Err(Failure::new(ErrorKind::Usage, text, "leave model.simd (KEN_SIMD) at auto"));
        }
        Ok(Self { config, paths, environment, repository, notes: output.notes.clone() })
    }

    /// The same without a repository's part, for what a repository has no say in.
    pub fn of_user(output: &Output) -> Result<Self, Failure> {
        let environment = Environment::new(std::env::vars_os());
        let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
        let paths = Paths::find(&environment, &here)?;
        let config = Config::resolve(paths.config.as_deref(), None, &environment)?;
        Ok(Self { config, paths, environment, repository: None, notes: output.notes.clone() })
    }

    /// The `.ken` folder of the repository around the working directory, if it is trusted as it is now.
    pub fn repository(&self) -> Option<&Path> {
        self.repository.as_deref()
    }

    /// The user's own ignore rules of git.
    pub fn git_excludes(&self) -> Option<PathBuf> {
        git_excludes(&self.environment)
    }

    /// The engine for this process.
    pub fn engine(&self) -> Engine {
        self.engine_of(self.settings())
    }

    /// The engine of a benchmark: it leaves nothing to the background, and may have another calibration than the
    /// model's own.
    pub fn measured_engine(&self, calibration: Option<Calibration>) -> Engine {
        self.engine_of(EngineSettings { calibration, later: None, ..self.settings() })
    }

    fn engine_of(&self, settings: EngineSettings) -> Engine {
        let engine = Engine::new(settings);
        // Whatever is asked for: who has a pack that cannot be used hears of it.
        drop(engine.packs(&Session::new(now_ms, self.notes.clone())));
        engine
    }

    /// A model that was named must be there; the configured one need not.
    pub fn require_model(&self, global: &Global, engine: &Engine) -> Result<(), Failure> {
        if global.model.is_some() && engine.model(None)?.is_none() {
            return Err(EngineError::NoModel { model: self.config.settings().model.name.clone() }.into());
        }
        Ok(())
    }

    /// What the engine of this process is told.
    pub fn settings(&self) -> EngineSettings {
        EngineSettings {
            calibration: None,
            data: self.paths.data.clone(),
            shared: shared::store(&self.config.settings().store),
            config: self.paths.config.clone(),
            cache: self.paths.cache.clone(),
            user_packs: self.paths.user_packs(),
            repository_packs: self.repository.as_ref().map(|folder| folder.join("canon")),
            vectors: self.paths.vectors(),
            model: self.config.settings().model.name.clone(),
            reranker: self.config.settings().model.reranker.clone(),
            recall_target: self.config.settings().index.recall_target,
            max_noise: self.config.settings().search.max_noise,
            remembers: false,
            models: self.store_settings(),
            later: self.config.settings().index.background.then_some(background::renew_later as fn() -> bool),
        }
    }

    fn store_settings(&self) -> Option<StoreSettings> {
        let mut settings = StoreSettings::new(self.paths.models()?, self.paths.hub_cache.clone());
        let config::Settings { model, hub, pip, .. } = self.config.settings();
        hub.endpoint.trim_end_matches('/').clone_into(&mut settings.hub.endpoint);
        settings.encoder = EncoderSettings {
            encoder: model.encoder,
            precision: model.precision,
            threads: model.threads,
            // A command asks one question at a time: it may have them all.
            question_threads: Some(usize::MAX),
            isa: model.simd.isa().and_then(Isa::named),
        };
        settings.address_space = address_space();
        settings.hub.token = self.token();
        settings.hub.offline = hub.offline;
        settings.hub.proxy = self.proxy(hub.endpoint.starts_with("http://"));
        settings.pip.offline = hub.offline;
        if let Some(command) = &pip.command {
            settings.pip = PipSettings::of(command, hub.offline);
        }
        // Without a working directory nothing is found, and nothing is started.
        settings.pip.programs =
            std::env::current_dir().map(|here| Programs::new(std::env::vars_os(), &here)).unwrap_or_default();
        Some(settings)
    }

    /// The configured token, else the one that the hub's own client keeps in a file.
    fn token(&self) -> Option<String> {
        if let Some(configured) = &self.config.settings().hub.token {
            return Some(configured.clone());
        }
        let named = self.environment.raw("HF_TOKEN_PATH").map(PathBuf::from);
        let usual = || Some(self.paths.hub_cache.as_ref()?.parent()?.join("token"));
        let text = system::read_text(&named.or_else(usual)?, Links::Follow, CONFIG).ok()?;
        Some(text.trim().to_owned()).filter(|token| !token.is_empty())
    }

    /// A variable of the environment, for whoever names one.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.get(name).map(str::to_owned)
    }

    /// What stands between this machine and others, for `http` or `https`.
    pub fn proxy(&self, is_plain: bool) -> Option<ProxySettings> {
        let first = |names: &[&str]| names.iter().find_map(|name| self.environment.get(name).filter(|v| !v.is_empty()));
        let url = if is_plain {
            first(&["http_proxy", "ALL_PROXY", "all_proxy"])
        } else {
            first(&["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])
        }?;
        let no_proxy = first(&["NO_PROXY", "no_proxy"]).unwrap_or("");
        let no_proxy = no_proxy.split(',').map(|host| host.trim().to_owned()).filter(|host| !host.is_empty()).collect();
        Some(ProxySettings { url: url.to_owned(), no_proxy })
    }
}

/// Where the process is, as files are known by.
pub(super) fn working_directory() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().map_err(|e| Failure::io("the working directory", &e))?;
    Ok(system::canonical(&here).unwrap_or(here))
}

/// Where the files of agents lie: those of the repository around the working directory, and the user's.
pub(super) fn agent_folders() -> Result<AgentFolders, Failure> {
    let environment = Environment::new(std::env::vars_os());
    let here = working_directory()?;
    let paths = Paths::find(&environment, &here)?;
    let usable = |name: &str| environment.usable(name);
    let home = usable("HOME").or_else(|| usable("USERPROFILE"));
    let under = |folder: &str| home.as_ref().map(|home| home.join(folder));
    let config = usable("XDG_CONFIG_HOME").or_else(|| under(".config"));
    let apps = match FOLDERS {
        Folders::Windows => usable("APPDATA"),
        Folders::Mac => under("Library/Application Support"),
        Folders::Xdg => config.clone(),
    };
    let own = paths.config.as_deref().and_then(Path::parent).map(Path::to_owned);
    Ok(AgentFolders { root: repository_of(&here), home, apps, config, own })
}

fn trusted_repository(paths: &Paths, output: &Output) -> Result<Option<PathBuf>, Failure> {
    let (Some(folder), Some(list)) = (&paths.repository, paths.trust()) else { return Ok(None) };
    match Trust::read(&list)?.state(folder)? {
        TrustState::Trusted => Ok(Some(folder.clone())),
        TrustState::Changed => {
            output.say(&format!(
                "{} changed since you trusted it and is left out; look at it, then run: `ken trust`",
                shown(folder)
            ));
            Ok(None)
        }
        TrustState::Unknown if !has_a_say(folder)? => Ok(None),
        TrustState::Unknown => {
            output.say(&format!("{} is not trusted and is left out; look at it, then run: `ken trust`", shown(folder)));
            Ok(None)
        }
    }
}
