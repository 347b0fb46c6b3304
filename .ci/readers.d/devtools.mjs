// devtools.mjs FILE.heapsnapshot: what the Memory panel of Chromium's DevTools
// finds in a snapshot. This is the panel's own loader and worker, which need
// no browser; what draws it is left out, and so are the translations.
//
// Prints `nodes N`, `objects N` and `bytes N` (of the objects of Go: their ids
// are odd, and not the root's), `retained N` (of the root), `class COUNT
// BYTES NAME` of the classes that have bytes and, in the order of the file,
// `object NUMBER RETAINED`.
import {createRequire} from 'node:module';
import {createReadStream} from 'node:fs';
import {MessageChannel} from 'node:worker_threads';
import {pathToFileURL} from 'node:url';

const readers = process.env.READERS;
const require = createRequire(`${readers}/npm/package.json`);
const bundle = `${readers}/devtools.mjs`;
const noTranslations = {
  name: 'no translations',
  setup(build) {
    build.onResolve({filter: /\/locales\.js$/}, () => ({path: 'none', namespace: 'none'}));
    build.onLoad({filter: /./, namespace: 'none'}, () => ({contents: `
      export const LOCALES = ['en-US'], BUNDLED_LOCALES = LOCALES, DEFAULT_LOCALE = 'en-US';
      export const REMOTE_FETCH_PATTERN = '', LOCAL_FETCH_PATTERN = '';`}));
  },
};
await require('esbuild').build({
  entryPoints: [`${readers}/npm/node_modules/chrome-devtools-frontend/` +
    'front_end/entrypoints/heap_snapshot_worker/heap_snapshot_worker.ts'],
  bundle: true, platform: 'node', format: 'esm', outfile: bundle,
  logLevel: 'error', plugins: [noTranslations],
});
const {HeapSnapshot, HeapSnapshotLoader} = await import(pathToFileURL(bundle));

Promise.withResolvers ??= function () { // before Node 22
  const p = {};
  p.promise = new Promise((yes, no) => Object.assign(p, {resolve: yes, reject: no}));
  return p;
};

// As the panel does: one thread reads, another makes the tree of dominators.
const loader = new HeapSnapshotLoader.HeapSnapshotLoader({sendEvent() {}});
const {port1, port2} = new MessageChannel();
new HeapSnapshot.SecondaryInitManager(port2);
for await (const chunk of createReadStream(process.argv[2], 'utf8'))
  loader.write(chunk);
loader.close();
const heap = await loader.buildSnapshot(port1);
port1.close();

const lines = [];
let bytes = 0;
for (let i = 0; i < heap.nodeCount; i++) {
  const node = heap.createNode(i * heap.nodeFieldCount);
  if (node.id() === 1 || node.id() % 2 === 0)
    continue;
  bytes += node.selfSize();
  lines.push(`object ${lines.length} ${node.retainedSize()}`);
}
console.log(`nodes ${heap.nodeCount}`);
console.log(`objects ${lines.length}\nbytes ${bytes}`);
console.log(`retained ${heap.totalSize}`);
for (const c of Object.values(heap.aggregatesWithFilter({})))
  if (c.self > 0)
    console.log(`class ${c.count} ${c.self} ${c.name}`);
console.log(lines.join('\n'));
