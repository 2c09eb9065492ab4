# Untested: written from the documentation of Homebrew, never installed. Linux only.
# It builds the head of a clone: PLAYSHUFFLE_CLONE=$PWD brew install --HEAD ./packaging/homebrew/playshuffle.rb
class Playshuffle < Formula
  include Language::Python::Virtualenv

  desc "Shuffled playlists for any player, with every track exactly once"
  license "MIT"
  head "file://#{ENV.fetch("PLAYSHUFFLE_CLONE", Dir.pwd)}", using: :git, branch: "main"

  depends_on :linux
  depends_on "python@3.13"

  def install
    venv = virtualenv_create(libexec, "python3.13")
    # A formula of a tap lists each dependency as a resource (brew update-python-resources).
    system venv.root/"bin/python", "-m", "ensurepip"
    system venv.root/"bin/python", "-m", "pip", "install", buildpath
    bin.install_symlink libexec/"bin/playshuffle"
    man1.install_symlink Dir[libexec/"share/man/man1/*.1"]
    man5.install_symlink Dir[libexec/"share/man/man5/*.5"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/playshuffle --version") unless build.head?
    system bin/"playshuffle", "demo"
  end
end
