//! Credentials of every kind in the surroundings in which they leak, what looks like one and is none, and what must
//! hold for any text.
//!
//! Values are drawn from templates, so this file holds no credential: `{A36}` is 36 letters and digits. The letters:
//! `A` both cases and digits, `a` small letters and digits, `U` capitals and digits, `L` letters, `h` and `H`
//! hexadecimal digits, `d` digits, `b` and `B` base64 for URLs and the other, `p` a password with symbols, `u` a UUID.

use super::*;
use proptest::prelude::*;

/// A kind of credential: the name of the variable that holds it, and its form.
struct Sample {
    name: &'static str,
    form: &'static str,
    /// Whether only its name tells what it is.
    named: bool,
}

const fn known(name: &'static str, form: &'static str) -> Sample {
    Sample { name, form, named: false }
}

const fn by_name(name: &'static str, form: &'static str) -> Sample {
    Sample { name, form, named: true }
}

#[rustfmt::skip]
const SAMPLES: &[Sample] = &[
    known("AWS_ACCESS_KEY_ID", "AKIA{U16}"), known("AWS_ACCESS_KEY_ID", "ASIA{U16}"),
    known("ALIBABA_ACCESS_KEY", "LTAI{A20}"), known("GOOGLE_API_KEY", "AIza{b35}"),
    known("GOOGLE_CLIENT_SECRET", "GOCSPX-{b28}"), known("GOOGLE_TOKEN", "ya29.{b120}"),
    known("GOOGLE_REFRESH_TOKEN", "1//0{b60}"), known("AZURE_CLIENT_SECRET", "{A3}8Q~{b34}"),
    known("AZURE_STORAGE_KEY", "{A76}+ASt{A6}=="), known("DIGITALOCEAN_TOKEN", "dop_v1_{h64}"),
    known("NETLIFY_AUTH_TOKEN", "nfp_{A36}"), known("FLY_API_TOKEN", "fo1_{b43}"),
    known("SUPABASE_ACCESS_TOKEN", "sbp_{h40}"), known("PLANETSCALE_TOKEN", "pscale_tkn_{b43}"),
    known("HEROKU_API_KEY", "HRKU-{b60}"), known("OPENSHIFT_TOKEN", "sha256~{b43}"),
    known("GITHUB_TOKEN", "ghp_{A36}"), known("GH_TOKEN", "gho_{A36}"), known("GH_TOKEN", "ghu_{A36}"),
    known("GITHUB_TOKEN", "ghs_{A36}"), known("GH_REFRESH", "ghr_{A76}"),
    known("GITHUB_TOKEN", "github_pat_{A22}_{A59}"), known("GITLAB_TOKEN", "glpat-{b20}"),
    known("CI_RUNNER_TOKEN", "glrt-{b20}"), known("GITLAB_TOKEN", "glpat-{b27}.01.{a9}"),
    known("GITLAB_TRIGGER", "glptt-{h40}"), known("RUNNER", "GR1348941{b20}"),
    known("JIRA_API_TOKEN", "ATATT3{b180}={H8}"), known("BITBUCKET_PASSWORD", "ATBB{A32}"),
    known("NPM_TOKEN", "npm_{A36}"), known("TWINE_PASSWORD", "pypi-AgEIcHlwaS5vcmc{b120}"),
    known("CARGO_REGISTRY_TOKEN", "cio{A32}"), known("GEM_HOST_API_KEY", "rubygems_{h48}"),
    known("NUGET_KEY", "oy2{a43}"), known("DOCKERHUB_TOKEN", "dckr_pat_{b27}"), known("JFROG_KEY", "AKCp{A69}"),
    known("SONAR_TOKEN", "sqp_{h40}"), known("SRC_ACCESS_TOKEN", "sgp_{h16}_{h40}"),
    known("CIRCLE_TOKEN", "CCIPAT_{A22}_{h40}"), known("BUILDKITE_TOKEN", "bkua_{h40}"),
    known("VAULT_TOKEN", "hvs.{b95}"), known("VAULT_BATCH", "hvb.{b140}"),
    known("TFE_TOKEN", "{A14}.atlasv1.{b67}"), known("PULUMI_ACCESS_TOKEN", "pul-{h40}"),
    known("DOPPLER_TOKEN", "dp.pt.{A43}"), known("AGE_KEY", "AGE-SECRET-KEY-1{U58}"),
    known("TS_AUTHKEY", "tskey-auth-{A12}-{A32}"), known("DATABRICKS_TOKEN", "dapi{h32}"),
    known("LAUNCHDARKLY_SDK_KEY", "sdk-{u}"), known("ANTHROPIC_API_KEY", "sk-ant-api03-{b93}AA"),
    known("OPENAI_API_KEY", "sk-{A48}"), known("OPENAI_API_KEY", "sk-proj-{b120}"),
    known("OPENROUTER_API_KEY", "sk-or-v1-{h64}"), known("HF_TOKEN", "hf_{L34}"), known("GROQ_API_KEY", "gsk_{A52}"),
    known("XAI_API_KEY", "xai-{A80}"), known("PPLX_API_KEY", "pplx-{A48}"), known("REPLICATE_API_TOKEN", "r8_{A37}"),
    known("LANGSMITH_API_KEY", "lsv2_pt_{h32}_{h10}"), known("SLACK_BOT_TOKEN", "xoxb-{d12}-{d13}-{A24}"),
    known("SLACK_USER_TOKEN", "xoxp-{d12}-{d12}-{d12}-{h32}"), known("SLACK_APP_TOKEN", "xapp-1-A{U10}-{d13}-{h64}"),
    known("SLACK_WEBHOOK", "https://hooks.slack.com/services/T{U8}/B{U8}/{A24}"),
    known("DISCORD_TOKEN", "M{A23}.{b6}.{b38}"),
    known("DISCORD_WEBHOOK", "https://discord.com/api/webhooks/{d18}/{b68}"),
    known("TELEGRAM_BOT", "{d10}:AA{b33}"), known("SENDGRID_API_KEY", "SG.{b22}.{b43}"),
    known("TWILIO_API_KEY", "SK{h32}"), known("MAILGUN_KEY", "key-{h32}"), known("MAILCHIMP_KEY", "{h32}-us12"),
    known("BREVO_KEY", "xkeysib-{h64}-{A16}"), known("STRIPE_KEY", "sk_live_{A24}"),
    known("STRIPE_KEY", "rk_live_{A99}"), known("STRIPE_KEY", "sk_test_{A99}"),
    known("STRIPE_WEBHOOK", "whsec_{A32}"), known("SQUARE_TOKEN", "sq0atp-{b22}"), known("SQUARE_TOKEN", "EAAA{b60}"),
    known("SHOPIFY_TOKEN", "shpat_{h32}"), known("SHOPIFY_SECRET", "shpss_{h32}"),
    known("BRAINTREE", "access_token$production${a16}${h32}"), known("PLAID_TOKEN", "access-production-{u}"),
    known("SHIPPO", "shippo_live_{h40}"), known("EASYPOST", "EZAK{A54}"),
    known("GRAFANA_TOKEN", "glsa_{A32}_{h8}"), known("GRAFANA_CLOUD", "glc_{A120}"),
    known("SENTRY_AUTH_TOKEN", "sntrys_eyJ{A120}_{A43}"), known("NEW_RELIC_KEY", "NRAK-{U27}"),
    known("NEW_RELIC_LICENSE_KEY", "{h36}NRAL"), known("DT_TOKEN", "dt0c01.{U24}.{U64}"),
    known("LINEAR_API_KEY", "lin_api_{A40}"), known("NOTION_KEY", "secret_{A43}"), known("NOTION_KEY", "ntn_{A46}"),
    known("POSTMAN_KEY", "PMAK-{h24}-{h34}"), known("FIGMA_TOKEN", "figd_{b40}"),
    known("AIRTABLE", "pat{A14}.{h64}"), known("ASANA_PAT", "1/{d16}:{h32}"), known("HUBSPOT", "pat-na1-{u}"),
    known("TYPEFORM", "tfp_{b44}"), known("CONTENTFUL", "CFPAT-{b43}"), known("DROPBOX", "sl.{b130}"),
    known("FACEBOOK", "EAAC{A160}"), known("ID_TOKEN", "eyJ{b40}.eyJ{b120}.{b43}"),
    known("SHADOW", "$2b$12${A53}"),
    by_name("AWS_SECRET_ACCESS_KEY", "{B40}"), by_name("DD_API_KEY", "{h32}"), by_name("DD_APP_KEY", "{h40}"),
    by_name("HEROKU_API_KEY", "{u}"), by_name("CLOUDFLARE_API_TOKEN", "{b40}"), by_name("CF_API_KEY", "{h37}"),
    by_name("TWILIO_AUTH_TOKEN", "{h32}"), by_name("ALGOLIA_ADMIN_API_KEY", "{h32}"), by_name("OKTA_TOKEN", "00{b40}"),
    by_name("FASTLY_API_TOKEN", "{b32}"), by_name("SNYK_TOKEN", "{u}"), by_name("CODECOV_TOKEN", "{u}"),
    by_name("TWITTER_API_SECRET", "{A50}"), by_name("MISTRAL_API_KEY", "{A32}"), by_name("COHERE_API_KEY", "{A40}"),
    by_name("WANDB_API_KEY", "{h40}"), by_name("AZURE_OPENAI_API_KEY", "{h32}"), by_name("ACCOUNT_KEY", "{B86}=="),
    by_name("CLIENT_SECRET", "{A32}"), by_name("SECRET_KEY_BASE", "{h128}"), by_name("JWT_SECRET", "{A24}"),
    by_name("SESSION_SECRET", "{b43}"), by_name("ENCRYPTION_KEY", "{B43}="), by_name("API_KEY", "{A20}"),
    by_name("ACCESS_TOKEN", "{b40}"), by_name("DB_PASSWORD", "{A12}"), by_name("DB_PASSWORD", "{p14}"),
    by_name("POSTGRES_PASSWORD", "{A20}"), by_name("SMTP_PASS", "{A16}"), by_name("ADMIN_PASSWORD", "{p10}"),
];

/// Numbers drawn by a fixed rule, so a failure comes again.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    fn value(&mut self, form: &str) -> String {
        const DIGITS: &str = "0123456789";
        const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
        const CAPITAL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let mut out = String::new();
        for (at, part) in form.split(['{', '}']).enumerate() {
            let Some(kind) = part.chars().next().filter(|_| at % 2 == 1) else {
                out.push_str(part);
                continue;
            };
            let length = part[1..].parse().unwrap_or(0);
            let alphabet = match kind {
                'A' => [CAPITAL, SMALL, DIGITS].concat(),
                'a' => [SMALL, DIGITS].concat(),
                'U' => [CAPITAL, DIGITS].concat(),
                'L' => [CAPITAL, SMALL].concat(),
                'h' => [DIGITS, &SMALL[..6]].concat(),
                'H' => [DIGITS, &CAPITAL[..6]].concat(),
                'd' => DIGITS.to_owned(),
                'b' => [CAPITAL, SMALL, DIGITS, "-_"].concat(),
                'B' => [CAPITAL, SMALL, DIGITS, "+/"].concat(),
                'p' => [CAPITAL, SMALL, DIGITS, DIGITS, "!#%^*+=?~-_"].concat(),
                'u' => {
                    let hex = [DIGITS, &SMALL[..6]].concat();
                    let parts: Vec<String> = [8, 4, 4, 4, 12].iter().map(|&length| self.of(&hex, length)).collect();
                    out.push_str(&parts.join("-"));
                    continue;
                }
                other => panic!("{other} in a template"),
            };
            out.push_str(&self.of(&alphabet, length));
        }
        out
    }
}

/// `DB_PASSWORD` as `dbPassword`, `db_password`, `db-password` and `Db-Password`.
fn styles(name: &str) -> (String, String, String, String) {
    let small = name.to_ascii_lowercase();
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let words: Vec<&str> = small.split('_').collect();
    let camel: String =
        words.iter().enumerate().map(|(at, word)| if at == 0 { (*word).to_owned() } else { capital(word) }).collect();
    let header = words.iter().map(|word| capital(word)).collect::<Vec<_>>().join("-");
    (camel, small.clone(), small.replace('_', "-"), header)
}

/// The text around a secret with a name.
fn named_surroundings(name: &str, secret: &str) -> Vec<String> {
    let (camel, snake, kebab, header) = styles(name);
    vec![
        format!("# settings\nHOST=localhost\n{name}={secret}\nDEBUG=1\n"),
        format!("export {name}='{secret}'"),
        format!("{name}=\"{secret}\" cargo run --release"),
        format!("{{\n  \"host\": \"db\",\n  \"{camel}\": \"{secret}\",\n  \"port\": 1\n}}"),
        format!("body: {{\\\"{snake}\\\": \\\"{secret}\\\", \\\"n\\\": 1}}"),
        format!("spec:\n  {snake}: {secret}\n  replicas: 2\n"),
        format!("  - name: {name}\n    value: \"{secret}\"\n  - name: X\n"),
        format!("{{\"name\": \"{name}\", \"value\": \"{secret}\"}}"),
        format!("deploy --{kebab} {secret} --verbose"),
        format!("deploy --{kebab}={secret}"),
        format!("2024-05-01T10:00:00Z INFO app: starting with {snake}={secret} on port 80"),
        format!("    {snake} = \"{secret}\"\n"),
        format!("const {name}: &str = \"{secret}\";"),
        format!("var {camel} string = \"{secret}\""),
        format!("client = Client({snake}='{secret}', timeout=3)"),
        format!("os.environ[\"{name}\"] = \"{secret}\""),
        format!("<{camel}>{secret}</{camel}>"),
        format!("<add key=\"{name}\" value=\"{secret}\" />"),
        format!("define('{name}', '{secret}');"),
        format!("curl -H 'X-{header}: {secret}' https://example.com/v1"),
        format!("docker run -e {name}={secret} image:1"),
        format!("ENV {name} {secret}\n"),
        format!("services:\n  app:\n    environment:\n      - {name}={secret}\n      - X=1\n"),
        format!("      {name}: '{secret}'  # of the team\n"),
        format!("Environment=\"{name}={secret}\"\n"),
        format!("PS> $env:{name} = \"{secret}\""),
        format!("C:\\> set {name}={secret}\r\n"),
        format!("setenv {name} \"{secret}\""),
        format!("app.{kebab}={secret}\n"),
        format!("  {snake}   = \"{secret}\" // terraform"),
        format!("String {camel} = \"{secret}\";"),
        format!("private static final String {name} = \"{secret}\";"),
        format!("$config['{snake}'] = '{secret}';"),
        format!(":{snake} => \"{secret}\","),
        format!("settings.{camel}: '{secret}',"),
        format!("builder.{camel}(\"{secret}\").build()"),
        format!("{{\"level\":\"info\",\"msg\":\"config\",\"{snake}\":\"{secret}\",\"n\":3}}"),
        format!("time=10:00 level=info msg=\"ready\" {snake}=\"{secret}\" n=3"),
        format!("POST /v1?{snake}={secret} HTTP/1.1"),
        format!("+{name}={secret}"),
        format!("> {header}: {secret}\r\n> Accept: */*\r\n"),
        format!("kubectl create secret generic s --from-literal={name}={secret}"),
        format!("helm install app --set auth.{camel}={secret}"),
        format!("gh secret set {name} --body \"{secret}\""),
        format!("[{snake}]: '{secret}'"),
        format!("Dictionary {{ [\"{camel}\"] = \"{secret}\" }}"),
    ]
}

/// The text around a secret that is known by its form.
fn surroundings(name: &str, secret: &str) -> Vec<String> {
    let mut all = named_surroundings(name, secret);
    all.extend([
        secret.to_owned(),
        format!("2024-05-01 10:00:00 ERROR [http] 401 for {secret}: denied"),
        format!("remote: rejected ({secret}), see the log"),
        format!("x = [\"a\", \"{secret}\"]"),
        format!("curl -H \"Authorization: Bearer {secret}\" https://example.com"),
        format!("echo {secret} | tool login --stdin"),
        format!("line one\\n{secret}\\nline three"),
        format!("\u{1b}[32m{secret}\u{1b}[0m"),
        format!("https://example.com/cb?t={secret}&x=1"),
        format!("`{secret}`"),
        format!("Schlüssel「{secret}」"),
    ]);
    all
}

/// Whether nothing much of `secret` is left: no eight characters of it that are not of its published beginning.
fn is_gone(redacted: &str, secret: &str) -> bool {
    let body = match secret.rsplit_once('/').filter(|_| secret.contains("://")) {
        Some((_, last)) => last,
        None => secret.get(secret.len() / 3..).unwrap_or(secret),
    };
    !redacted.contains(secret)
        && body.as_bytes().windows(8).all(|part| !redacted.contains(&String::from_utf8_lossy(part)[..]))
}

/// What is found in a text that is looked at as a short one, or as a long one.
fn found(text: &str, is_short: bool) -> Vec<(std::ops::Range<usize>, &'static str)> {
    super::spans(text, is_short).into_iter().map(|span| (span.range, span.kind)).collect()
}

fn missed(rounds: u64) -> (Vec<String>, usize) {
    let (mut missed, mut all) = (Vec::new(), 0);
    for (number, sample) in SAMPLES.iter().enumerate() {
        for round in 0..rounds {
            let secret = Draw(round * 1_000 + number as u64).value(sample.form);
            let texts = if sample.named {
                named_surroundings(sample.name, &secret)
            } else {
                surroundings(sample.name, &secret)
            };
            all += texts.len();
            texts.iter().for_each(|text| assert_eq!(found(text, true), found(text, false), "{text}"));
            missed.extend(
                texts
                    .into_iter()
                    .filter(|text| !is_gone(&redact(text).text, &secret))
                    .map(|text| format!("{} {secret}: {text}", sample.form)),
            );
        }
    }
    (missed, all)
}

#[test]
fn credentials_are_caught_in_all_surroundings() {
    let (missed, all) = missed(2);
    let share = missed.len() as f64 / all as f64;
    assert!(share <= 0.005, "{} of {all}:\n{}", missed.len(), missed.join("\n"));
}

/// A private key of `lines` lines of base64.
fn key_lines(kind: &str, lines: usize) -> Vec<String> {
    let mut draw = Draw(lines as u64);
    let mut all = vec![format!("-----BEGIN {kind}-----")];
    all.extend((0..lines).map(|_| draw.value("{B64}")));
    all.push(draw.value("{B22}=="));
    all.push(format!("-----END {kind}-----"));
    all
}

#[test]
fn private_keys_are_caught_however_they_are_written() {
    let kinds = [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ];
    for kind in kinds {
        let lines = key_lines(kind, 12);
        let (last, cut) = (lines.len() - 1, lines.len() - 2);
        let indented = lines.iter().map(|line| format!("      {line}\n")).collect::<String>();
        let logged = lines.iter().map(|line| format!("2024-05-01T10:00:00.123Z app[7]: {line}\n")).collect::<String>();
        let joined = lines.iter().map(|line| format!("    \"{line}\\n\" +\n")).collect::<String>();
        let numbered = lines.iter().enumerate().map(|(at, line)| format!("{at:4} | {line}\n")).collect::<String>();
        let headed =
            lines.join("\n").replacen("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n", 1);
        let texts = [
            lines.join("\n"),
            lines.join("\r\n"),
            format!("key: |\n{indented}next: 1\n"),
            format!("{{\"private_key\": \"{}\\n\", \"client_email\": \"a@b.example\"}}", lines.join("\\n")),
            format!("{{\\\"private_key\\\": \\\"{}\\\\n\\\", \\\"x\\\": 1}}", lines.join("\\\\n")),
            format!("KEY=\"{}\"", lines.join(" ")),
            logged,
            joined,
            numbered,
            headed,
            format!("before\n{}\n", lines[..cut].join("\n")),
            format!("{{\"key\": \"{}\", \"after\": 1}}", lines[..cut].join("\\n")),
            format!("{}\nafter", lines[3..].join("\n")),
        ];
        for text in &texts {
            let redacted = redact(text);
            assert_eq!(redacted.found.len(), 1, "{text}\n{}", redacted.text);
            assert_eq!(redacted.found[0].kind, "private key");
            for line in &lines[3..cut] {
                assert!(!redacted.text.contains(&line[..16]), "{text}\n{}", redacted.text);
            }
            assert!(!redacted.text.contains(&lines[last]), "{text}\n{}", redacted.text);
            assert_eq!(redacted.text.split('\n').count(), text.split('\n').count(), "{text}\n{}", redacted.text);
        }
        assert!(redact(&texts[3]).text.contains("client_email"));
        assert!(redact(&texts[2]).text.ends_with("next: 1\n"));
        assert!(redact(&texts[12]).text.ends_with("after"));
    }
}

/// Text, the secret in it, and what it is called.
#[test]
fn secrets_at_known_places_are_caught() {
    let cases: &[(&str, &str, &str)] = &[
        ("postgres://app:", "hunter2", "@db.example.com:5432/app"),
        ("https://ann:", "p%40ss-w0rd", "@example.com/x"),
        ("redis://:", "geheim", "@cache:6379/0"),
        ("mongodb+srv://u:", "Ab/9xQ!z", "@c.example.net/db"),
        ("amqp://u:", "p@ss9", "@mq:5672"),
        ("git clone https://x-access-token:", "q8Zt3LmW0xKd", "@github.com/a/b"),
        ("https://", "q8Zt3LmW0xKd5RfV9c", "@github.com/a/b"),
        ("Authorization: Basic ", "YW5uOmh1bnRlcjI=", ""),
        ("\"Authorization\": \"Bearer ", "opensesame12", "\""),
        ("authorization: token ", "q8Zt3LmW0xKd", ""),
        ("curl -u admin:", "hunter2", " https://example.com"),
        ("curl -s --user ann:", "S3cr3t", " https://example.com"),
        ("mysql -u root -p", "hunter2", " app < dump.sql"),
        ("sshpass -p ", "hunter2", " ssh host"),
        ("unzip -P ", "hunter2", " a.zip"),
        ("zip -e --password ", "hunter2", " a.zip b"),
        ("ldapsearch -x -D cn=admin -w ", "hunter2", " -b dc=x"),
        ("7z x -p", "hunter2", " a.7z"),
        ("keytool -list -storepass ", "hunter2", " -keystore k.jks"),
        ("htpasswd -bB users bob ", "hunter2", ""),
        ("rabbitmqctl add_user bob ", "hunter2", ""),
        ("mc alias set play https://play.example.org AKEY ", "hunter2", ""),
        ("snmpwalk -v3 -u bob -A ", "hunter2", " host"),
        ("docker login -u ann -p ", "hunter2", " registry.example.com"),
        ("redis-cli -h cache -a ", "hunter2", " ping"),
        ("Cookie: theme=dark; sessionid=", "q8zt3lmw0xkd5rfv", "; x=1"),
        ("Set-Cookie: JSESSIONID=", "9A8B7C6D5E4F3A2B1C0D", "; Path=/; HttpOnly"),
        ("machine example.com login ann password ", "hunter2", ""),
        ("machine example.com\n  login ann\n  password ", "hunter2", "\n"),
        ("//packages.example.com/:_authToken=", "3fa85f64-5717-4562-b3fc-2c963f66afa6", ""),
        ("[pypi]\nusername = ann\npassword = ", "hunter2", "\n"),
        ("    client-key-data: ", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF", "\n"),
        ("Server=db;User Id=app;Password=", "hunter2", ";Encrypt=true"),
        ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", "q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1==", ";x=y"),
        ("?sv=2022&sig=", "q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1aE3gI5oM8w%3D", "&se=1"),
        ("{\"auths\": {\"r.example\": {\"auth\": \"", "YW5uOmh1bnRlcjJ4eXo5OA==", "\"}}}"),
        ("the API key ", "q8Zt3LmW0xKd5RfV9cB7", " was refused"),
        ("token 'q' is not it, but password is ", "h7!kQ2zz", ""),
        ("password: |\n  ", "hunter2", "\nnext: 1"),
        ("https://api.telegram.org/bot", "110201543:AAHq8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1", "/getMe"),
        ("CREATE USER 'a'@'%' IDENTIFIED BY '", "hunter2", "';"),
        ("ALTER ROLE app WITH LOGIN PASSWORD '", "hunter2", "';"),
        ("let password = String::from(\"", "h7kQ2zzW", "\");"),
        ("GET /login?user=ann&password=", "hunter2", "&next=/"),
        ("password: correct-", "horse9-battery", ""),
        ("[Interface]\nPrivateKey = ", "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk=", ""),
        ("db.password=", "letmein", "\n"),
    ];
    let mut wrong = Vec::new();
    for (before, secret, after) in cases {
        let text = format!("{before}{secret}{after}");
        let redacted = redact(&text);
        let right = redacted.found.len() == 1
            && !redacted.text.contains(secret)
            && redacted.text.starts_with(&before[..before.len() / 2])
            && redacted.text.ends_with(after.trim_start_matches('='));
        if !right {
            wrong.push(format!("{text}\n  became {}", redacted.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_no_secret_stays() {
    let texts = [
        "commit 7e1b24e1b0df3b7d539a1cee38614e944b835474",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "\"integrity\": \"sha512-q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1aE3gI5oM8wq8Zt3LmW0xKd5RfV9cB7n==\"",
        "request 3fa85f64-5717-4562-b3fc-2c963f66afa6 failed",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
        "PASSWORD=$DB_PASSWORD",
        "password: ${{ secrets.DB_PASSWORD }}",
        "password: \"{{ .Values.db.password }}\"",
        "password = <password>",
        "token: ****************",
        "password: changeme",
        "api_key = \"your-api-key-here\"",
        "password = os.environ[\"DB_PASSWORD\"]",
        "token = get_token2()",
        "let token = self.lexer.next_token(1);",
        "    password: String,",
        "    pub token: Option<Token2>,",
        "  password: string;",
        "def login(user, password=None, token=token2):",
        "password: str = Field(..., min_length=8)",
        "if (key == KEY_F12) { token_count += 1; }",
        "const TOKEN_KIND_U8: u8 = 8;",
        "error: expected token `::`, found `Utf8Error`",
        "Invalid password for user bob from 10.0.0.7",
        "Password must be at least 8 characters",
        "password is incorrect2 or missing",
        "session id 0x14ed93111f20057 established",
        "Cache key: node-linux-x64-9f86d081884c7d659a2feaa0c55ad015",
        "gpg: key ABAF11C65A2970B130ABE3C479BE3E4300411886 imported",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1a ann@host",
        "public_key: q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1",
        "-----BEGIN CERTIFICATE-----\nMIICKjCCAZMCCQCWxl+Ho7n9ajANBgkqhkiG9w0B\n-----END CERTIFICATE-----",
        "if text.contains(\"-----BEGIN RSA PRIVATE KEY-----\") { return true; }",
        "\"-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----\"",
        "postgres://user:password@localhost/db",
        "postgres://app:${PGPASSWORD}@db/app",
        "http://localhost:8080/a@b",
        "ssh://git@github.com:22/a/b.git",
        "see https://example.com/docs/sk-learn-is-a-nice-library-to-use",
        "import sk_live_reload_everything_always",
        "nextToken: q8Zt3LmW0xKd5RfV9cB7nP2sY4uH6jT1",
        "password_file: /run/secrets/db_password2",
        "POSTGRES_PASSWORD_FILE=/run/secrets/db1",
        "secretName: my-tls-secret-2",
        "secretKeyRef:\n  name: db-secret\n  key: password1",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "-H \"Authorization: token ${GITHUB_TOKEN}\"",
        "Can't locate revision identified by '1975ea83b712'",
        "--- PASS: TestUnauthorizedReturns403 (0.01s)",
        "Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==",
        "login or password is refused",
        "its password (PKCS12: the store password)",
        "Signing key on 35BAA0B33E9EB396F59CA838C0BA5CE6DC6315A3 is not bound",
        "luks-passphrase: \"Failed to activate with specified passphrase\"",
        "--username and --password options",
        "options --username and --password options instead",
        "# with login / password\nlogin_i = 0 if _netrc[0] else 1",
        "author = \"Ann Example <ann@example.com>\"",
        "monkeypatch.setattr(keyboard, \"layout2\", 1)",
        "",
    ];
    let wrong: Vec<String> = texts
        .iter()
        .map(|text| redact(text).text.into_owned())
        .filter(|redacted| !texts.contains(&redacted.as_str()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn lines_are_those_of_the_text_and_the_redacted_text() {
    let key = key_lines("RSA PRIVATE KEY", 4).join("\n");
    let token = Draw(7).value("ghp_{A36}");
    let text = format!("one\npassword=hunter2\n{key}\nthree {token} and {token}\nend");
    let redacted = redact(&text);
    let found: Vec<_> = redacted.found.iter().map(|secret| (secret.kind, secret.line)).collect();
    assert_eq!(found, [("password", 2), ("private key", 3), ("GitHub token", 10), ("GitHub token", 10)]);
    let lines: Vec<&str> = redacted.text.lines().collect();
    assert_eq!(lines.len(), text.lines().count());
    assert_eq!(lines[9], "three [redacted: GitHub token] and [redacted: GitHub token]");
    assert_eq!(lines[1], "password=[redacted: password]");
}

#[test]
fn no_kind_breaks_its_mark() {
    for format in &formats::FORMATS {
        let mark = format!("{MARK}{}]", format.kind);
        assert!(MARKS.find(&mark).is_some_and(|found| found.as_str() == mark), "{mark}");
        assert!(redact(&format!("password={mark}")).found.is_empty());
    }
}

proptest! {
    #[test]
    fn redacting_again_changes_nothing(text in secretive()) {
        let once = redact(&text);
        let twice = redact(&once.text);
        prop_assert_eq!(&*twice.text, &*once.text);
        prop_assert!(twice.found.is_empty());
        prop_assert_eq!(once.text.matches('\n').count(), text.matches('\n').count());
        prop_assert!(once.found.iter().all(|secret| secret.line >= 1 && secret.line <= text.matches('\n').count() + 1));
        prop_assert_eq!(once.found.is_empty(), matches!(once.text, Cow::Borrowed(_)));
    }

    /// A short text is looked at in another way, and comes out as in a long one.
    #[test]
    fn short_and_long_texts_are_judged_alike(text in prop_oneof![secretive(), any::<String>()]) {
        prop_assert_eq!(found(&text, true), found(&text, false));
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let once = redact(&text);
        prop_assert_eq!(&*redact(&once.text).text, &*once.text);
    }
}

/// Texts of the pieces that the finders look for, in any order.
fn secretive() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "password",
        "=",
        ": ",
        "\"",
        "'",
        "\\\"",
        "\n",
        " ",
        "token",
        "API key",
        "Authorization: Bearer ",
        "https://u:",
        "@host",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA7bq8Zt3LmW0xKd5R",
        "\\n",
        "[redacted: ",
        "[redacted: password]",
        "]",
        "hunter2!",
        "q8Zt3LmW0xKd5RfV9cB7",
        "9f86d081884c7d659a2feaa0c55ad015",
        "Cookie: a=",
        ";",
        "é",
        "秘",
        "\u{1b}[1m",
        "name: ",
        "value: ",
        "curl -u a:",
        "<password>",
        "</password>",
        "|",
        "&",
        "?",
        "--token ",
        "eyJq8Zt3LmW.q8Zt3LmW.q8Zt3LmW",
        ",",
        "(",
        ")",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}
