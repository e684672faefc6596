//! Credentials that are known by their form: a row for each kind.
//!
//! A row is used on lines that hold one of its literals, so most rows cost nothing on most lines. Lengths are a little
//! wider than published, because providers make tokens longer without notice. What is random in a match must look so,
//! or `sk-learn-and-so-on` would be a key. The group `s` of a pattern, if it has one, is what is secret in it.

use super::{Span, value};
use crate::text::pattern;
use regex::Regex;
use std::sync::{LazyLock, OnceLock};

/// A kind of credential with a form of its own.
pub(super) struct Format {
    /// What it is called in `[redacted: KIND]`.
    pub(super) kind: &'static str,
    /// One of these is in every credential of the kind.
    literals: &'static [&'static str],
    pattern: &'static str,
    compiled: OnceLock<Regex>,
}

const fn row(kind: &'static str, literals: &'static [&'static str], pattern: &'static str) -> Format {
    Format { kind, literals, pattern, compiled: OnceLock::new() }
}

/// The first row that matches names what is found. After `//`: where the form is published.
#[rustfmt::skip]
pub(super) static FORMATS: [Format; 127] = [
    // Clouds.
    // docs.aws.amazon.com/IAM: unique identifiers
    row("AWS access key", &["AKIA", "ASIA", "ABIA", "ACCA", "A3T"],
        r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}\b"),
    // docs.aws.amazon.com/bedrock: API keys
    row("AWS Bedrock key", &["ABSK"], r"ABSK[A-Za-z0-9+/]{60,}={0,2}"),
    // docs.developer.amazonservices.com
    row("Amazon MWS token", &["amzn.mws."], r"amzn\.mws\.[0-9a-f-]{36}"),
    // alibabacloud.com/help: AccessKey pair
    row("Alibaba access key", &["LTAI"], r"LTAI[A-Za-z0-9]{12,26}\b"),
    // cloud.tencent.com/document: SecretId
    row("Tencent secret id", &["AKID"], r"AKID[A-Za-z0-9]{32}\b"),
    // cloud.google.com/docs/authentication/api-keys
    row("Google API key", &["AIza"], r"AIza[\w-]{35}"),
    // developers.google.com/identity/protocols/oauth2
    row("Google OAuth client secret", &["GOCSPX-"], r"GOCSPX-[\w-]{24,40}"),
    row("Google OAuth token", &["ya29."], r"ya29\.[\w.-]{20,}"),
    row("Google refresh token", &["1//0"], r"1//0[\w-]{40,}"),
    // learn.microsoft.com: Entra client secrets
    row("Azure client secret", &["Q~"], r"[\w~.-]{3}[78]Q~[\w~.-]{31,34}"),
    // learn.microsoft.com: signatures in keys of Azure
    row("Azure account key",
        &["+ASt", "ACDb", "+ABa", "+AMC", "+ASb", "+AEh", "+ARm", "AzCa", "+ACR", "AzFu", "AIoT", "APIM", "AzSe"],
        concat!(
            r"[A-Za-z0-9+/]{33,76}(?:\+ASt|ACDb|\+ABa|\+AMC|\+ASb|\+AEh|\+ARm|AzCa|\+ACR|AzFu|AIoT|APIM",
            r"|AzSe)[A-Za-z0-9+/]{4,10}={0,2}",
        )),
    row("Azure AI key", &["JQQJ99", "AZDO"],
        r"[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{20,30}|[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    // learn.microsoft.com/azure/storage: shared access signatures
    row("Azure SAS signature", &["sig="], r"[?&;]sig=(?P<s>[A-Za-z0-9+/%]{40,100}(?:=|%3[Dd]){0,2})"),
    // docs.aws.amazon.com/AmazonS3 and cloud.google.com/storage: signed URLs
    row("signed URL signature", &["Signature=", "signature="],
        r"(?:X-(?:Amz|Goog)-Signature=|[?&]Signature=)(?P<s>[\w%+/-]{27,}(?:=|%3D){0,2})"),
    // docs.digitalocean.com/reference/api
    row("DigitalOcean token", &["_v1_"], r"do[opr]_v1_[a-f0-9]{60,70}"),
    // developers.cloudflare.com/fundamentals/api
    row("Cloudflare token", &["cfk_", "cfut_", "cfat_"], r"cf(?:k|ut|at)_[A-Za-z0-9]{40,80}"),
    row("Cloudflare origin CA key", &["v1.0-"], r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}"),
    // devcenter.heroku.com/articles/authentication
    row("Heroku key", &["HRKU-"], r"HRKU-[\w-]{36,80}"),
    // docs.netlify.com
    row("Netlify token", &["nfp_", "nfc_", "nfo_", "nfu_"], r"nf[pcou]_[A-Za-z0-9]{36,40}"),
    // fly.io/docs/security/tokens
    row("Fly.io token", &["fo1_", "fm1", "fm2_"], r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3})"),
    // supabase.com/docs/guides/api/api-keys
    row("Supabase key", &["sbp_", "sb_secret_"], r"(?:sbp_(?:v0_|oauth_)?[a-f0-9]{40}|sb_secret_[\w-]{20,60})"),
    // planetscale.com/docs
    row("PlanetScale token", &["pscale_"], r"pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}"),
    // scalingo.com, yandex.cloud/docs/iam
    row("Scalingo token", &["tk-us-"], r"tk-us-[\w-]{48}"),
    row("Yandex key", &["AQVN", "t1.", "y0_"],
        r"(?:AQVN[\w-]{35,38}|t1\.[A-Z0-9a-z_-]{8,}={0,2}\.[\w-]{86}={0,2}|y0_[\w-]{50,70})"),
    // docs.render.com, docs.railway.com
    row("Render key", &["rnd_"], r"rnd_[A-Za-z0-9]{28,40}"),
    // neon.tech/docs/manage/api-keys
    row("Neon key", &["napi_"], r"napi_[a-z0-9]{40,80}"),
    // docs.openshift.com: OAuth tokens
    row("OpenShift token", &["sha256~"], r"sha256~[\w-]{43}"),

    // Code and packages.
    // github.blog: token formats; docs.github.com: fine-grained tokens
    row("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"gh[pousr]_[A-Za-z0-9_]{30,}"),
    row("GitHub token", &["github_pat_"], r"github_pat_\w{22,}"),
    // docs.gitlab.com/security/tokens: prefixes
    row("GitLab token",
        &["glpat-", "gldt-", "glrt-", "glrtr-", "glptt-", "glcbt-", "glimt-", "glft-", "glffct-", "glagent-", "gloas-",
            "glsoat-", "glwt-"],
        r"gl(?:pat|dt|rtr?|ptt|cbt|imt|ft|ffct|agent|oas|soat|wt)-[\w-]{20,}(?:\.[a-z0-9]{2}\.?[a-z0-9]{7})?"),
    row("GitLab runner token", &["GR1348941"], r"GR1348941[\w-]{20,50}"),
    row("GitLab session", &["_gitlab_session="], r"_gitlab_session=(?P<s>[0-9a-f]{32})"),
    // support.atlassian.com, developer.atlassian.com/cloud/bitbucket
    row("Atlassian token", &["ATATT3", "ATCTT3", "ATOATT", "ATSTT3"], r"AT(?:ATT3|CTT3|OATT|STT3)[\w=-]{40,}"),
    row("Bitbucket app password", &["ATBB"], r"ATBB[A-Za-z0-9]{32}"),
    // As the registries' own pages on access tokens and API keys show them.
    row("npm token", &["npm_"], r"npm_[A-Za-z0-9]{36,64}"),
    row("PyPI token", &["pypi-"], r"pypi-AgE[\w-]{50,}"),
    row("Cargo token", &["cio"], r"cio[A-Za-z0-9]{32}\b"),
    row("RubyGems key", &["rubygems_"], r"rubygems_[a-f0-9]{40,64}"),
    row("NuGet key", &["oy2"], r"oy2[a-z0-9]{43}\b"),
    row("Clojars token", &["CLOJARS_"], r"(?i:CLOJARS_[a-f0-9]{60})"),
    // docs.docker.com/security/access-tokens
    row("Docker token", &["dckr_pat_", "dckr_oat_"], r"dckr_(?:pat|oat)_[\w-]{20,64}"),
    // jfrog.com/help
    row("JFrog key", &["AKCp", "cmVmdGtu"], r"(?:AKCp[A-Za-z0-9]{60,80}|cmVmdGtu[A-Za-z0-9]{50,64})"),
    // docs.sonarsource.com, sourcegraph.com/docs, docs.snyk.io
    row("Sonar token", &["sqp_", "squ_", "sqa_"], r"sq[pua]_[a-f0-9]{40}"),
    row("Sourcegraph token", &["sgp_", "slk_", "sgd_"],
        r"(?:sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}|slk_[a-f0-9]{64}|sgd_[a-f0-9]{40,64})"),
    row("Snyk token", &["snyk_"], r"snyk_[a-z]{3}\.[0-9a-f]{8}\.[\w.-]{30,}"),
    // circleci.com/docs, buildkite.com/docs, octopus.com/docs, developer.harness.io
    row("CircleCI token", &["CCIPAT_", "CCIPRJ_"], r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,30}_[a-f0-9]{40}"),
    row("Buildkite token", &["bkua_", "bkct_", "bkat_", "bkaj_"], r"bk(?:ua|ct|at|aj)_[A-Za-z0-9]{32,64}"),
    row("Octopus key", &["API-"], r"API-[A-Z0-9]{25,32}\b"),
    row("Harness token", &["pat.", "sat."], r"[ps]at\.[\w-]{22}\.[0-9a-fA-F]{24}\.[0-9a-zA-Z]{20}"),

    // Secrets and infrastructure.
    // developer.hashicorp.com/vault/docs/concepts/tokens, .../terraform/cloud-docs
    row("Vault token", &["hvs.", "hvb.", "hvr."], r"hv[sbr]\.[\w-]{20,}"),
    row("Terraform Cloud token", &[".atlasv1."], r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}"),
    // pulumi.com/docs, docs.doppler.com, developer.1password.com, age-encryption.org
    row("Pulumi token", &["pul-"], r"pul-[a-f0-9]{40}"),
    row("Doppler token", &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,40}\.)?[A-Za-z0-9]{38,48}"),
    row("1Password token", &["ops_eyJ"], r"ops_eyJ[\w+/-]{100,}={0,3}"),
    row("1Password secret key", &["A3-"],
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}"),
    row("age secret key", &["AGE-SECRET-KEY-", "AGE-PLUGIN-"],
        r"AGE-(?:SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,}|PLUGIN-[A-Z0-9]{1,20}-1[A-Z0-9]{20,})"),
    // tailscale.com/kb, infracost.io, docs.defined.net
    row("Tailscale key", &["tskey-"], r"tskey-[a-z]{3,10}-[A-Za-z0-9-]{16,80}"),
    row("Infracost key", &["ico-"], r"ico-[A-Za-z0-9]{32}\b"),
    row("Defined Networking key", &["dnkey-"], r"dnkey-[\w=-]{26}-[\w=-]{52}"),
    // docs.databricks.com/dev-tools/auth/pat
    row("Databricks token", &["dapi", "dose"], r"(?:dapi|dose)[0-9a-f]{32}(?:-\d)?\b"),
    // docs.getdbt.com, prefect.io, launchdarkly.com/docs
    row("dbt token", &["dbtc_", "dbtu_"], r"dbt[cu]_[\w+/=-]{32,64}"),
    row("Prefect key", &["pnu_", "pnb_"], r"pn[ub]_[A-Za-z0-9]{36}"),
    row("LaunchDarkly key", &["sdk-", "api-"],
        r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),

    // Models.
    // platform.openai.com, docs.anthropic.com, openrouter.ai, huggingface.co/docs/hub/security-tokens and others
    row("Anthropic key", &["sk-ant-"], r"sk-ant-[\w-]{20,}"),
    row("OpenRouter key", &["sk-or-"], r"sk-or-(?:v\d-)?[a-f0-9]{48,64}"),
    row("OpenAI key", &["sk-"], r"sk-(?:proj-|svcacct-|admin-|None-)?[\w-]{20,}"),
    row("Hugging Face token", &["hf_", "api_org_"], r"(?:hf_|api_org_)[A-Za-z0-9]{30,60}"),
    row("Groq key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,60}"),
    row("xAI key", &["xai-"], r"xai-[A-Za-z0-9]{60,100}"),
    row("Perplexity key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,64}"),
    row("Replicate token", &["r8_"], r"r8_[A-Za-z0-9_-]{37,40}"),
    row("LangSmith key", &["lsv2_"], r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    row("Pinecone key", &["pcsk_"], r"pcsk_[A-Za-z0-9_]{40,90}"),
    row("NVIDIA key", &["nvapi-"], r"nvapi-[\w-]{60,80}"),
    row("Cerebras key", &["csk-"], r"csk-[a-z0-9]{40,60}"),
    row("Tavily key", &["tvly-"], r"tvly-(?:dev-|prod-)?[A-Za-z0-9-]{20,60}"),

    // Messages and mail.
    // api.slack.com/concepts/token-types
    row("Slack token", &["xoxa", "xoxb", "xoxc", "xoxd", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs"],
        r"xox(?:[abcdeoprs]-|e\.xox[bp]-)[\w%/+=-]{10,}"),
    row("Slack app token", &["xapp-"], r"xapp-\d-[A-Za-z0-9]{8,16}-\d{8,16}-[a-z0-9]{32,80}"),
    row("Slack webhook", &["hooks.slack"],
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<s>[\w+/]{30,120})"),
    // discord.com/developers/docs/reference, .../resources/webhook
    row("Discord token", &["."], r"[A-Za-z0-9][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,45}"),
    row("Discord webhook", &["/webhooks/"],
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,21}/(?P<s>[\w-]{50,90})"),
    // learn.microsoft.com/microsoftteams
    row("Teams webhook", &["/webhookb2/", "/IncomingWebhook/"], r"/(?:webhookb2|IncomingWebhook)/(?P<s>[\w@/-]{30,})"),
    // core.telegram.org/bots/api
    row("Telegram bot token", &[":A"], r"\d{5,16}:A[\w-]{32,36}\b"),
    // docs.sendgrid.com, twilio.com/docs/iam/api-keys, documentation.mailgun.com, mailchimp.com/developer, brevo.com
    row("SendGrid key", &["SG."], r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    row("Twilio key", &["SK"], r"SK[0-9a-fA-F]{32}\b"),
    row("Mailgun key", &["key-"], r"key-[0-9a-zA-Z]{32}\b"),
    row("Mailgun key", &["-"], r"\b[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b"),
    row("Mailchimp key", &["-us"], r"[0-9a-f]{32}-us\d{1,2}\b"),
    row("Brevo key", &["xkeysib-", "xsmtpsib-"], r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    row("Resend key", &["re_"], r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}"),

    // Money.
    // docs.stripe.com/keys, developer.squareup.com, shopify.dev, developer.paypal.com/braintree, plaid.com/docs
    row("Stripe key", &["_live_", "_test_", "_prod_"], r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    row("webhook secret", &["whsec_"], r"whsec_[A-Za-z0-9+/]{24,90}={0,2}"),
    row("Square token", &["sq0"], r"sq0[a-z]{3}-[\w-]{22,50}"),
    row("Square token", &["EAAA"], r"(?:^|[^/+])(?P<s>EAAA[\w-]{56,64})\b"),
    row("Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_", "shpua_"],
        r"shp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32,64}"),
    row("Braintree token", &["access_token$"], r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    row("Plaid token", &["access-"], r"access-(?:sandbox|development|production)-[0-9a-f-]{36}"),
    row("Flutterwave key", &["FLWSECK"], r"FLWSECK(?:_TEST|_LIVE)?-?[A-Za-z0-9]{12,64}(?:-X)?"),
    row("Shippo token", &["shippo_"], r"shippo_(?:live|test)_[a-fA-F0-9]{40}"),
    row("EasyPost key", &["EZAK", "EZTK"], r"EZ[AT]K[A-Za-z0-9]{54}"),
    row("Duffel token", &["duffel_"], r"duffel_(?:test|live)_[\w=-]{43}"),
    row("GoCardless or Lob key", &["live_", "test_"], r"(?:(?:live|test)_(?:pub_)?[a-f0-9]{35}|live_[\w=-]{40})\b"),

    // Watching.
    // grafana.com/docs, docs.sentry.io, docs.newrelic.com, docs.dynatrace.com
    row("Grafana token", &["glc_", "glsa_", "eyJrIjoi"],
        r"(?:glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|eyJrIjoi[A-Za-z0-9+/]{60,}={0,2})"),
    row("Sentry token", &["sntrys_", "sntryu_", "sntrya_"],
        r"sntry(?:s_eyJ[A-Za-z0-9+/=]{20,}_[A-Za-z0-9+/]{43}|s_[\w+/=-]{40,}|[ua]_[a-f0-9]{64})"),
    row("New Relic key", &["NRAK-", "NRII-", "NRIQ-", "NRJS-", "NRRA-", "NRSP-", "NRAL"],
        r"(?:NR(?:AK|II|IQ|JS|RA|SP)-[\w-]{19,42}|[a-f0-9]{36}NRAL)"),
    row("Dynatrace token", &["dt0"], r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    row("Honeycomb key", &["hcaik_", "hcalk_", "hcamk_", "hcxik_"], r"hc[a-z]{2}k_[a-z0-9]{50,70}"),

    // Work.
    // linear.app/developers, developers.notion.com, learning.postman.com, figma.com/developers, airtable.com/developers
    row("Linear key", &["lin_api_", "lin_oauth_", "lin_wh_"], r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}"),
    row("Notion token", &["secret_", "ntn_"], r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60})\b"),
    row("Postman key", &["PMAK-", "PMAT-"], r"PMA[KT]-(?:[a-f0-9]{24}-[a-f0-9]{34}|[A-Za-z0-9-]{24,70})"),
    row("Figma token", &["figd_", "figo_", "figu_", "figr_", "figs_"], r"fig[dours]_[\w-]{36,80}"),
    row("Airtable token", &["pat"], r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    row("Asana token", &[":"], r"\d/\d{15,17}(?:/\d{15,17})?:[a-f0-9]{32}\b"),
    row("HubSpot token", &["pat-"],
        r"pat-(?:na|eu|ap)\d-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"),
    row("Typeform token", &["tfp_"], r"tfp_[\w.=-]{44,64}"),
    row("Contentful token", &["CFPAT-"], r"CFPAT-[\w-]{43}"),
    row("Dropbox token", &["sl."], r"sl\.(?:u\.)?[\w=-]{60,}"),
    row("Frame.io token", &["fio-u-"], r"fio-u-[\w=-]{60,68}"),
    row("ReadMe key", &["rdme_"], r"rdme_[a-z0-9]{70}"),
    row("Mapbox secret token", &["sk.eyJ"], r"sk\.eyJ[\w-]{40,}\.[\w-]{20,40}"),
    row("Facebook token", &["EAA"], r"(?:^|[^/+])(?P<s>EAA[A-Z][A-Za-z0-9]{80,})\b"),
    row("Adobe secret", &["p8e-", "p8-"], r"p8e?-[A-Za-z0-9_-]{32}\b"),
    row("Adafruit key", &["aio_"], r"aio_[A-Za-z0-9]{28}\b"),
    row("MaxMind key", &["_mmk"], r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
    row("42 API secret", &["s-s4t2"], r"s-s4t2(?:ud|af)-[a-f0-9]{64}"),

    // Of no provider.
    // RFC 7519, RFC 7516
    row("JSON web token", &["eyJ"], r"eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]{4,}){0,2}"),
    // man crypt(5)
    row("password hash", &["$2", "$5$", "$6$", "$y$", "$7$", "$argon2", "$apr1$"],
        concat!(
            r"\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|[567y]\$[./A-Za-z0-9=,$]{20,}|argon2(?:id|i|d)\$",
            r"[\w=,$+/]{40,}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22})",
        )),
];

/// Finds any of the literals. Three forms have none that is rare enough, so what is rare of their form stands here.
static LITERALS: LazyLock<Regex> = LazyLock::new(|| {
    let literals = FORMATS.iter().flat_map(|format| format.literals).filter(|literal| literal.len() > 1);
    let mut all: Vec<String> = literals.map(|literal| trigger(literal)).collect();
    all.push(r"\.[\w-]{6}\.[\w-]{27}".to_owned());
    all.push(r"/\d{15,17}:[a-f0-9]{8}".to_owned());
    all.push(r"[a-f0-9]-[a-f0-9]{8}-[a-f0-9]{8}".to_owned());
    pattern(&all.join("|"))
});

/// A literal as a pattern, with what must follow the ones that are common in names and prose.
fn trigger(literal: &str) -> String {
    let follows = match literal {
        "SK" => "[0-9a-fA-F]{8}",
        "test_" | "live_" => "[a-f0-9_pub]{4}[a-f0-9]{8}",
        "-us" => r"\d",
        "_test_" | "_live_" | "_prod_" | "pat" | "pat." | "sat." | "API-" | "api-" | "sdk-" | "secret_" | "access-"
        | "pat-" | "cio" => r"[\w-]{8}",
        _ => "",
    };
    regex::escape(literal) + follows
}

impl Format {
    fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| pattern(self.pattern))
    }

    fn find(&self, line: &str, at: usize, spans: &mut Vec<Span>) {
        if !self.literals.iter().any(|literal| line.contains(literal)) {
            return;
        }
        for found in self.regex().captures_iter(line) {
            let Some(secret) = found.name("s").or_else(|| found.get(0)) else { continue };
            let drawn = secret.as_str();
            if begins(line, secret.start()) && !is_written(drawn) {
                spans.push(Span { range: at + secret.start()..at + secret.end(), kind: self.kind });
            }
        }
    }
}

/// Finds the credentials of `text` by their form.
pub(super) fn find(text: &str, is_short: bool, spans: &mut Vec<Span>) {
    if is_short {
        find_in_short(text, spans);
        return;
    }
    let mut from = 0;
    while let Some(hit) = LITERALS.find_at(text, from) {
        let start = text.get(..hit.start()).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let end = text.get(hit.end()..).and_then(|after| after.find('\n')).map_or(text.len(), |at| hit.end() + at);
        let line = text.get(start..end).unwrap_or_default();
        for format in &FORMATS {
            format.find(line, start, spans);
        }
        from = end;
    }
}

/// The same without [`LITERALS`], which takes longer to be made than a short text is looked at.
fn find_in_short(text: &str, spans: &mut Vec<Span>) {
    let mut start = 0;
    for line in text.split('\n') {
        let is_odd = has_odd_form(line);
        for format in &FORMATS {
            if is_odd || format.literals.iter().any(|literal| literal.len() > 1) {
                format.find(line, start, spans);
            }
        }
        start += line.len() + 1;
    }
}

/// Whether a line may hold one of the three forms that have no literal that is rare enough.
fn has_odd_form(line: &str) -> bool {
    let has_run =
        |least: usize, fits: fn(&u8) -> bool| line.as_bytes().split(|b| !fits(b)).any(|run| run.len() >= least);
    let mut parts = line.split('.').skip(1).map(str::len).peekable();
    let mut dots = || {
        while let Some(part) = parts.next() {
            // Six characters of up to four bytes each, then at least 27.
            if (6..=24).contains(&part) && parts.peek().is_some_and(|next| *next >= 27) {
                return true;
            }
        }
        false
    };
    has_run(15, u8::is_ascii_digit) || has_run(32, |b| matches!(b, b'a'..=b'f' | b'0'..=b'9')) || dots()
}

/// Whether a match may begin at `at`: at the start of a word, after a line end that is written out (`\n`), after a
/// character in percent-encoding or after a colour of a terminal.
fn begins(line: &str, at: usize) -> bool {
    let Some(before) = line.as_bytes().get(..at) else { return true };
    match before {
        // The last is of Telegram, whose URLs have a token after `bot`.
        [.., b'\\', b'n' | b'r' | b't'] | [.., b'b', b'o', b't'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., b'm'] => before.iter().rev().skip(1).find(|b| !b.is_ascii_digit() && **b != b';') == Some(&b'['),
        [.., last] => !last.is_ascii_alphanumeric(),
        [] => true,
    }
}

/// Whether a match was written by a person: a mask, or words joined by dashes. One run of capitals or with a digit is no
/// word, however much its letters look like one: of keys that are drawn of capitals, one in 25 does.
fn is_written(drawn: &str) -> bool {
    let body = drawn.get(drawn.len().saturating_sub(16)..).unwrap_or(drawn);
    let has = |test: fn(&u8) -> bool| drawn.bytes().any(|b| test(&b));
    let may_be_words = drawn.contains(['-', '_', '.']) || has(u8::is_ascii_lowercase) && !has(u8::is_ascii_digit);
    value::distinct(body) <= 4
        || drawn.contains("xxxxx")
        || drawn.contains("XXXXX")
        || may_be_words && value::wordlike_parts(drawn) >= 0.62
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_that_look_like_words_are_a_key() {
        for drawn in ["NACEWARWZ6GUWHGH", "IMJOASMP3QISZYLD", "NACEWARWZGGUWHGH"] {
            assert!(!is_written(&format!("AKIA{drawn}")), "{drawn}");
        }
        assert!(is_written("sk-learn-is-a-nice-library-to-use"));
    }

    #[test]
    fn every_row_compiles() {
        for format in &FORMATS {
            assert!(!format.literals.is_empty() && !format.kind.is_empty());
            assert!(!format.regex().is_match(""), "{}", format.kind);
        }
        assert!(!LITERALS.is_match("an ordinary line of an ordinary log, 2024-05-01 10:00:00"));
    }
}
