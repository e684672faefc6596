# Homebrew formula of ken. packaging/release.sh fills in what stands between at signs, and publishes the result.
class Kenning < Formula
  desc "Local-first semantic search for known errors and your own documents"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  # Releases are made for one platform.
  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install "ken"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/ken.bash" => "ken"
    zsh_completion.install "completions/_ken"
    fish_completion.install "completions/ken.fish"
    pkgshare.install "completions/ken.elv", "completions/_ken.ps1"
    doc.install "README.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt"
  end

  test do
    ENV["KEN_HOME"] = testpath/"ken"
    answer = shell_output("#{bin}/ken lookup 'fatal: refusing to merge unrelated histories'")
    assert_match "git-ssh/unrelated-histories", answer
  end
end
