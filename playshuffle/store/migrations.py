"""Bring the tables of the state file from an older version to a newer one.

It is done in one transaction, after the old file was copied beside the new one.
"""

import contextlib
import os
import sqlite3

# From each version to the next. No DROP COLUMN: SQLite has that only since 3.35.
_STEPS = {
    1: """
    ALTER TABLE library ADD marks BLOB NOT NULL DEFAULT x'';
    ALTER TABLE playlist ADD gone TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE playlist ADD shuffled INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE deck (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (path, age)
    );
    """,
    2: """
    ALTER TABLE playlist ADD marks BLOB NOT NULL DEFAULT x'';
    ALTER TABLE deck ADD marks BLOB NOT NULL DEFAULT x'';
    UPDATE playlist SET marks = ifnull((SELECT marks FROM library WHERE digest = library), x'');
    UPDATE deck SET marks = ifnull((SELECT marks FROM library WHERE digest = library), x'');
    CREATE TABLE shared (digest BLOB PRIMARY KEY, paths BLOB NOT NULL);
    INSERT INTO shared SELECT digest, paths FROM library;
    DROP TABLE library;
    ALTER TABLE shared RENAME TO library;
    """,
    # The orders got other names: uniform, blocks by TAG and semi are random, groups by TAG and light.
    3: """
    UPDATE deck SET facts = replace(facts, '"law": "uniform', '"law": "random');
    UPDATE deck SET facts = replace(facts, '"law": "blocks', '"law": "groups');
    UPDATE deck SET facts = replace(facts, '"law": "semi', '"law": "light');
    UPDATE deck SET facts = replace(facts, ' block size ', ' group size ');
    """,
    4: """
    ALTER TABLE playlist ADD edits BLOB NOT NULL DEFAULT x'';
    UPDATE playlist SET age = age + 2;
    """,
    5: """
    CREATE TABLE skip_list (
        playlist BLOB NOT NULL,
        list BLOB NOT NULL,
        paths BLOB NOT NULL,
        PRIMARY KEY (playlist, list)
    );
    """,
    # Which playlist is over which folder was not stored. A row too many has no effect.
    6: """
    CREATE TABLE playlist_root (
        playlist BLOB NOT NULL,
        path BLOB NOT NULL,
        tracks INTEGER NOT NULL,
        mounts TEXT NOT NULL,
        PRIMARY KEY (playlist, path)
    );
    INSERT INTO playlist_root SELECT known.path, root.path, tracks, mounts
        FROM (SELECT path FROM playlist UNION SELECT path FROM deck) AS known, root;
    """,
}


def version_of(database: sqlite3.Connection) -> int:
    """Return the version of the tables; 0 of an empty file."""
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate_file(database: sqlite3.Connection, path: bytes, to: int) -> None:
    """Copy the file of a database, then bring its tables to a version."""
    version = version_of(database)
    kept = path + b".v%d" % version
    if not os.path.exists(kept):
        # Write to a temporary name first: the file under the final name must be complete.
        half = kept + b".%d" % os.getpid()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(half)
        database.execute("VACUUM INTO ?", (os.fsdecode(half),))
        os.chmod(half, 0o600)
        os.replace(half, kept)
    database.execute("BEGIN IMMEDIATE")
    try:
        migrate(database, to)
        database.commit()
    except BaseException:
        database.rollback()
        raise


def migrate(database: sqlite3.Connection, to: int) -> None:
    """Bring the tables to a version, without a commit."""
    for version in range(version_of(database), to):  # asked again: another run may have been faster
        for statement in filter(str.strip, _STEPS[version].split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {version + 1}")
