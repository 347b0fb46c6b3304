// duckdb.mjs FOLDER: what DuckDB finds in the tables of `dump --format parquet`.
//
// Prints `objects N`, `bytes N`; `goroutines N` and `frames N`; `dangling N`,
// edges and roots that end in no object; `wrong N`, objects that do not
// retain themselves and what is below them; `retained N`, of the objects with
// none above; then `type COUNT BYTES NAME` from objects joined with types,
// `listed COUNT BYTES NAME` from the table of types alone, and `object ID
// ADDRESS SIZE RETAINED`.
import {createRequire} from 'node:module';

const require = createRequire(`${process.env.READERS}/npm/package.json`);
const {DuckDBInstance} = require('@duckdb/node-api');
const db = await (await DuckDBInstance.create(':memory:')).connect();
const folder = process.argv[2];

for (const t of ['objects-*', 'edges-*', 'types', 'roots', 'goroutines', 'frames']) {
  const name = t.replace('-*', '');
  await db.run(`create view ${name} as from '${folder}/${t}.parquet'`);
}

async function print(sql) {
  const rows = (await db.runAndReadAll(sql)).getRows();
  for (const row of rows)
    console.log(row.join(' '));
}

await print("select 'objects', count(*) from objects");
await print("select 'bytes', sum(size) from objects");
await print("select 'goroutines', count(*) from goroutines");
await print("select 'frames', count(*) from frames");
await print(`select 'dangling', count(*) from
  (select src id from edges union all select dst from edges
   union all select target from roots) anti join objects using (id)`);
await print(`select 'wrong', count(*) from objects o left join
  (select idom, sum(retained) below from objects group by idom) b
  on b.idom = o.id where retained != size + coalesce(below, 0)`);
await print("select 'retained', sum(retained) from objects where idom = -1");
await print(`select 'type', count(*), sum(size), name from objects o
  join types t on o.type = t.id group by name`);
await print("select 'listed', sum(objects), sum(bytes), name from types group by name");
await print(`select 'object', id, printf('%x', address), size, retained from objects
  order by id`);
