import { extractIdentifiers } from '@varve/core';

const text = `The demo is on 2026-03-12. The fake model listens on 127.0.0.1:48713, port 48713; scripts are in
scratch/fake-model.ts and ~/notes/demo.md. Yesterday fold.ts was ${process.argv[2]}. The error is VARVE_PLUGIN_OPTIONS, or
ECONNREFUSED; the key was sk-test-51Hx9f0aQ2mZ7Lr4, the mail ada@example.org. Build 91473 of release 2026.3.2 costs $0.42.
请看 docs/guides/write-a-plugin.md，端口是48713。 visibleFromSeq is in stateBefore().`;
for (const [identifier, kind] of extractIdentifiers(text)) console.log(kind.padEnd(9), identifier);
