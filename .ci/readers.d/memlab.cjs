// memlab.cjs FILE.heapsnapshot: what memlab finds in a snapshot.
//
// Prints `nodes N`, `objects N` and `bytes N` (of the objects of Go: their ids
// are odd, and not the root's), `retained N` (of the root), then `type COUNT
// BYTES NAME` and, in the order of the file, `object NUMBER RETAINED`.
const {createRequire} = require('node:module');
const {analysis, config, utils} =
  createRequire(`${process.env.READERS}/npm/package.json`)('@memlab/core');

config.muteConsole = true;
utils.getSnapshotFromFile(process.argv[2], {}).then((heap) => {
  const types = new Map(), lines = [];
  let objects = 0, bytes = 0, root;
  analysis.preparePathFinder(heap);
  heap.nodes.forEach((node) => {
    root ??= node;
    if (node.id === 1 || node.id % 2 === 0)
      return;
    const t = types.get(node.name) ?? {count: 0, bytes: 0};
    t.count++;
    t.bytes += node.self_size;
    types.set(node.name, t);
    bytes += node.self_size;
    lines.push(`object ${objects++} ${node.retainedSize}`);
  });
  console.log(`nodes ${heap.nodes.length}`);
  console.log(`objects ${objects}\nbytes ${bytes}`);
  console.log(`retained ${root.retainedSize}`);
  for (const [name, t] of types)
    console.log(`type ${t.count} ${t.bytes} ${name}`);
  console.log(lines.join('\n'));
});
