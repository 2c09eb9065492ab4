# Untested: written from the manual of nixpkgs, never built. In a clone: nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.python3Packages.buildPythonApplication {
  pname = "playshuffle";
  version = "0.1.0";
  pyproject = true;
  src = ../..;

  build-system = [ pkgs.python3Packages.hatchling ];
  dependencies = with pkgs.python3Packages; [ mutagen pathspec tomlkit typer watchdog mpd2 ];
  # nixpkgs has one version of each package; a newer typer starts slower.
  pythonRelaxDeps = [ "typer" ];

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
