//! Relative and absolute paths.

use super::{check, repo};

#[test]
fn extensions_may_be_left_out_in_a_fixed_order() {
    let files = repo(
        &[
            "a.ts",
            "b.tsx",
            "b.js",
            "c.mts",
            "c.js",
            "d.js",
            "d.mjs",
            "e.cjs",
            "f.jsx",
            "g.cts",
            "h.vue",
            "i.svelte",
            "j.svelte.ts",
            "a.test.ts",
        ],
        &[],
    );
    check(
        &files,
        "x.ts",
        &[
            ("./a", "a.ts"),
            ("./b", "b.tsx"),
            ("./c", "c.mts"),
            ("./d", "d.js"),
            ("./e", "e.cjs"),
            ("./f", "f.jsx"),
            ("./g", "g.cts"),
            ("./h", "-"),
            ("./h.vue", "h.vue"),
            ("./i.svelte", "i.svelte"),
            ("./i.svelte.ts", "-"),
            ("./j.svelte", "j.svelte.ts"),
            ("./a.test", "a.test.ts"),
            ("./a.ts", "a.ts"),
            ("./sub/../a", "a.ts"),
            ("./none", "-"),
            ("/repo/a", "a.ts"),
            ("/repo/none", "-"),
            ("/a", "-"),
            (".a", "-"),
        ],
    );
}

#[test]
fn a_written_extension_may_mean_the_source() {
    let files = repo(
        &["a.ts", "b.tsx", "c.mts", "d.cts", "e.js", "f.ts", "f.js", "g.jsx", "h.js.ts", "i.css.ts", "i.css"],
        &[],
    );
    check(
        &files,
        "x.mts",
        &[
            ("./a.js", "a.ts"),
            ("./b.js", "b.tsx"),
            ("./b.jsx", "b.tsx"),
            ("./c.mjs", "c.mts"),
            ("./d.cjs", "d.cts"),
            ("./e.js", "e.js"),
            ("./f.js", "f.ts"),
            ("./g.js", "g.jsx"),
            ("./h.js", "h.js.ts"),
            ("./i.css", "i.css.ts"),
            ("./a.mjs", "-"),
            ("./c.js", "-"),
            ("./e.ts", "-"),
        ],
    );
}

#[test]
fn folders_mean_their_package_json_or_their_index() {
    let files = repo(
        &[
            "index.ts",
            "a/index.tsx",
            "a/index.js",
            "b.ts",
            "b/index.ts",
            "main/lib/start.js",
            "main/index.ts",
            "source/code/x.ts",
            "built/src/index.ts",
            "broken/index.ts",
            "exports/src/start.ts",
            "empty/readme.md",
            "x.ts/index.ts",
        ],
        &[
            ("main/package.json", r#"{"main": "lib/start"}"#),
            ("source/package.json", r#"{"main": "lib/x.js", "source": "./code/x.ts"}"#),
            ("built/package.json", r#"{"main": "./dist", "types": 5}"#),
            ("broken/package.json", r#"{"main": "none.js"}"#),
            ("exports/package.json", r#"{"exports": {".": "./dist/start.js"}}"#),
        ],
    );
    check(
        &files,
        "a/from.ts",
        &[
            (".", "a/index.tsx"),
            ("./", "a/index.tsx"),
            ("..", "index.ts"),
            ("../", "index.ts"),
            ("../b/..", "index.ts"),
            ("../a", "a/index.tsx"),
            ("../b", "b.ts"),
            ("../b/", "b/index.ts"),
            ("../b/.", "b/index.ts"),
            ("../main", "main/lib/start.js"),
            ("../source", "source/code/x.ts"),
            ("../built", "built/src/index.ts"),
            ("../broken", "broken/index.ts"),
            ("../exports", "exports/src/start.ts"),
            ("../empty", "-"),
            ("../x.ts", "x.ts/index.ts"),
            ("../b.ts/", "-"),
        ],
    );
}

#[test]
fn what_is_no_code_or_not_run_means_nothing() {
    let files = repo(
        &["a.ts", "style.css", "data.json", "logo.svg", "types.d.ts", "esm.d.mts", "wasm.js", "wasm.d.ts", "readme"],
        &[],
    );
    check(
        &files,
        "x.ts",
        &[
            ("./style.css", "-"),
            ("./data.json", "-"),
            ("./data", "-"),
            ("./logo.svg", "-"),
            ("./readme", "-"),
            ("./types", "-"),
            ("./types.d.ts", "-"),
            ("./esm.mjs", "-"),
            ("./wasm", "wasm.js"),
            ("./a?raw", "-"),
            ("./a.ts?url", "-"),
            ("./a.ts?worker&inline", "-"),
            ("raw-loader!./a", "-"),
            ("https://esm.sh/a", "-"),
            ("data:text/javascript,1", "-"),
        ],
    );
}

#[test]
fn missing_output_means_its_source_existing_output_means_itself() {
    let files = repo(
        &["src/index.ts", "src/a.ts", "src/b.js", "lib/a.js", "out/gen.js", "gen.ts"],
        &[("package.json", r#"{"name": "app"}"#)],
    );
    check(
        &files,
        "test/x.ts",
        &[
            ("../dist/index.js", "src/index.ts"),
            ("../dist", "src/index.ts"),
            ("../dist/esm/a.mjs", "src/a.ts"),
            ("../build/b", "src/b.js"),
            ("../lib/a.js", "lib/a.js"),
            ("../out/gen.js", "out/gen.js"),
            ("../dist/gen.js", "-"),
            ("../dist/none.js", "-"),
            ("../dist/a.css", "-"),
        ],
    );
}

#[test]
fn dependencies_are_left_alone_but_may_look_at_themselves() {
    let files = repo(
        &[
            "a.ts",
            "node_modules/ai/index.js",
            "node_modules/ai/b.js",
            "node_modules/@a/b/index.js",
            "node_modules/x.js",
        ],
        &[("node_modules/ai/package.json", r#"{"name": "ai"}"#), ("package.json", r#"{"name": "app"}"#)],
    );
    check(
        &files,
        "a.ts",
        &[
            ("./node_modules/ai", "-"),
            ("./node_modules/ai/b", "-"),
            ("./node_modules/x", "-"),
            ("ai", "-"),
            ("ai/b", "-"),
        ],
    );
    check(
        &files,
        "node_modules/ai/index.js",
        &[("./b", "node_modules/ai/b.js"), ("../@a/b", "-"), ("../x", "-"), ("../../a", "a.ts")],
    );
}
