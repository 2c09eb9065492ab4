"""Define names of audio files that have broken players, terminals or writers of playlists."""

_STEMS: list[bytes] = [
    # First characters that some programs do not accept as the start of a path.
    b"#1 hit", b"#EXTM3U", b"#EXTINF:1,x", b" leading space", b"\tleading tab", b"-rf", b"--help",
    b".hidden", b"..two dots", b"...", b"~", b"~root", b"<br>", b"\xc2\xa0nbsp", b"\xef\xbb\xbfbom",
    b"(brackets) ", b"'quoted'", b'"quoted"', b"$HOME", b"@file", b"!important", b"*", b"=sum()", b"+plus",
    # Look like a URI, a drive or an option.
    b"co:lon", b"http:x", b"file:x", b"file:", b"C:\\x", b"\\\\srv\\x", b"back\\slash", b"a:b:c",
    # Look like an escape, a fragment or a query.
    b"a#b", b"x #EXTINF:1,y", b"a%20b", b"%41", b"%2F", b"%00", b"%25%", b"100% pure", b"%", b"%zz",
    b"a%20b 100%", b"who?", b"?", b"a&b;c|d", b"$(reboot)", b"`reboot`", b"a;b",
    # White space, and characters that end a line for some programs.
    b"trailing space ", b"two  spaces", b"tab\tinside", b"\n", b"new\nline.mp3",
    b"cr\rinside", b"crlf\r\ninside", b"end\r", b"nel\xc2\x85x", b"ls\xe2\x80\xa8x", b"ps\xe2\x80\xa9x",
    b"vt\x0bx", b"ff\x0cx", b"fs\x1cx", b"gs\x1dx", b"rs\x1ex", b"us\x1fx",
    # Control a terminal, or are markup.
    b"\x1b]0;title\x07", b"\x1b[2J", b"\x1b[31mred", b"bel\x07", b"bs\x08\x08", b"del\x7f", b"soh\x01",
    b"csi\xc2\x9b2J", b"[b]", b"[red]x", b"[[x]]", b"{}", b"{0}", b"%s%n",
    # Unicode at its edges.
    "ÄÖÜ nfc".encode(), "A\u0308 nfd".encode(), "音楽".encode(), "🎵".encode(), "👩‍🎤".encode(),
    "שלום".encode(),
    "\u202egnp.exe".encode(), "\u2066iso\u2069".encode(), "\u200bzero".encode(), "soft\xadhyphen".encode(),
    # Not UTF-8: Latin-1, a lone surrogate, an overlong '/', a cut-off character, bare bytes.
    b"caf\xe9", b"\xed\xa0\x80", b"\xc0\xaf", b"cut\xe9\x9f", b"\xff\xfe", b"\x80", b"sur\xed\xb2\x80",
    # Twins, and lengths.
    b"Twin", b"tWIN", "é".encode(), "e\u0301".encode(), b"n" * 246, ("ü" * 123).encode(),
]  # fmt: skip

NAMES: list[bytes] = [stem + b".mp3" for stem in _STEMS]

# The same in folders, which have odd names too.
PATHS: list[bytes] = NAMES + [
    folder + b"/x.mp3"
    for folder in (b"#", b"?", b" edge ", b"co:lon", b"new\nline", b"%2F", b"~", b"-", b"\xe9", b"album.mp3")
] + [b"[/b].mp3", b"[red]x[/].mp3", b"new\n/etc/passwd.mp3", b"file:/x.mp3", b"http:/x.mp3"]  # fmt: skip
