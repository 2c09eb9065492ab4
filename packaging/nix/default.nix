# Untested: written from the manual of nixpkgs, never built. In a clone: nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

let
  module = builtins.readFile ../../playshuffle/__init__.py;
in
pkgs.python3Packages.buildPythonApplication {
  pname = "playshuffle";
  version = builtins.head (builtins.match ".*__version__ = \"([^\"]*)\".*" module);
  pyproject = true;
  src = ../..;

  build-system = [ pkgs.python3Packages.hatchling ];
  dependencies = with pkgs.python3Packages; [ mutagen pathspec tomlkit typer watchdog mpd2 ];

  # The tests need players and systemd: tests/run.
  doCheck = false;
  pythonImportsCheck = [ "playshuffle" ];

  meta = {
    description = "Shuffled playlists for any player, with every track exactly once";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "playshuffle";
  };
}
