// Shows what each case of the testkit is worth: runs all contracts on subjects that are broken on purpose, and counts
// which case finds which.
//
//     pnpm test:kill-matrix
//
// Exits with 0 when there are 120 cases or more, every case finds a mutant that at most five others find, and no case
// is the only one that finds more than fifteen. Prints, last, `N passed, N failed`: these demands.
import { adapterCases, engineCases, modelPortCases, pluginCases, storeCases } from '@varve/testkit';
import { adapterMutants } from '../packages/testkit/test/mutants/adapter-mutants.ts';
import { engineMutants } from '../packages/testkit/test/mutants/engine-mutants.ts';
import { modelPortMutants } from '../packages/testkit/test/mutants/model-port-mutants.ts';
import { runMatrix } from '../packages/testkit/test/mutants/mutant.ts';
import { effectPluginMutants } from '../packages/testkit/test/mutants/plugin-effect-mutants.ts';
import { startingPluginMutants } from '../packages/testkit/test/mutants/plugin-mutants.ts';
import { archivingStoreMutants } from '../packages/testkit/test/mutants/store-archiving-mutants.ts';
import { writingStoreMutants } from '../packages/testkit/test/mutants/store-mutants.ts';
import { readingStoreMutants } from '../packages/testkit/test/mutants/store-reading-mutants.ts';
import { recordStoreMutants } from '../packages/testkit/test/mutants/store-record-mutants.ts';
import { removingStoreMutants } from '../packages/testkit/test/mutants/store-removing-mutants.ts';
import { replacingStoreMutants } from '../packages/testkit/test/mutants/store-replacing-mutants.ts';

const fewestCases = 120;
/** A mutant that more cases than one and these find shows nothing of any of them. */
const mostOthers = 5;
/** A case that alone finds more mutants than these is several cases. */
const mostAlone = 15;

const contracts = [
  { kind: 'plugins', cases: pluginCases, mutants: [...startingPluginMutants, ...effectPluginMutants] },
  { kind: 'engines', cases: engineCases, mutants: engineMutants },
  {
    kind: 'stores',
    cases: storeCases,
    mutants: [
      ...writingStoreMutants,
      ...readingStoreMutants,
      ...replacingStoreMutants,
      ...archivingStoreMutants,
      ...removingStoreMutants,
      ...recordStoreMutants,
    ],
  },
  { kind: 'adapters', cases: adapterCases, mutants: adapterMutants },
  { kind: 'model ports', cases: modelPortCases, mutants: modelPortMutants },
];

process.exitCode = await main();

async function main() {
  const rows = [];
  for (const { kind, cases, mutants } of contracts) {
    const { failed } = await runMatrix(/** @type {any} */ (cases), /** @type {any} */ (mutants));
    const found = cases.map(({ name }) => worthOf(name, { kind, failed }));
    const missed = [...failed].filter(([, names]) => names.length === 0).map(([name]) => name);
    console.log(`\n${kind}: ${cases.length} cases × ${mutants.length} mutants, ${missed.length} of them not found`);
    for (const { name, kills, telling, alone } of found) {
      console.log(`${[kills, telling, alone].map((count) => String(count).padStart(4)).join('')}  ${name}`);
    }
    rows.push(...found);
  }
  console.log('\n(found · of these by at most five other cases, too · by no other)\n');
  const demands = [
    demand(`${rows.length} cases, at least ${fewestCases}`, rows.length >= fewestCases ? [] : ['too few']),
    demand(
      `cases that find no mutant which at most ${mostOthers} others find`,
      rows.filter(({ telling }) => telling === 0),
    ),
    demand(
      `cases that alone find more than ${mostAlone} mutants`,
      rows.filter(({ alone }) => alone > mostAlone),
    ),
  ];
  const passed = demands.filter(Boolean).length;
  console.log(`${passed} passed, ${demands.length - passed} failed`);
  return passed === demands.length ? 0 : 1;
}

/** How many mutants a case finds, how many of these tell something of it, and how many it alone finds. */
function worthOf(name, { kind, failed }) {
  const finders = [...failed.values()].filter((names) => names.includes(name)).map((names) => names.length - 1);
  const telling = finders.filter((others) => others <= mostOthers).length;
  return { name: `${kind}: ${name}`, kills: finders.length, telling, alone: finders.filter((one) => one === 0).length };
}

function demand(what, against) {
  console.log(
    `${against.length === 0 ? 'passed' : 'FAILED'}  ${what}${against.length === 0 ? '' : `: ${against.length}`}`,
  );
  for (const one of against) console.log(`        ${typeof one === 'string' ? one : one.name}`);
  return against.length === 0;
}
