// Packs every public package, checks each tarball, then installs all of them into an empty project with npm,
// as a user would get them, and runs the command line there.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkSurfaces } from './api-surface.mjs';
import { npmEnvironment } from './packed/npm-environment.mjs';
import { packAll } from './packed/public-packages.mjs';

/** The largest tarball each package may have, in bytes; whoever installs Varve pays for every one of them. */
const sizeLimits = {
  '@varve/core': 750_000,
  '@varve/sessions': 400_000,
  '@varve/cli': 400_000,
  '@varve/adapters': 450_000,
  '@varve/testkit': 300_000,
  '@varve/stores': 300_000,
  '@varve/gateway': 300_000,
  default: 200_000,
};

/** ESM-only packages: what the oldest resolution sees, and that require() gets a module, is not ours to support. */
const ignoredResolutions = new Set(['node10', 'node16-cjs']);

const unwanted = /(^|\/)(test|bench)\/|\.(test|bench|test-d)\.|\.tsbuildinfo$/;
const transcript = resolve('examples/transcripts/varve-session.jsonl');
const out = resolve('.pack');

rmSync(out, { recursive: true, force: true });
const packages = await Promise.all(packAll(out).map(examine));
const changes = checkSurfaces();
for (const change of changes) console.error(change);
if (changes.length > 0) console.error('What packages export has changed: run pnpm api:update, and add a changeset.');
const faults = report(packages) + changes.length;
if (faults === 0) installAndRun(packages);
process.exitCode = faults === 0 ? 0 : 1;

/** Lists what is wrong with a tarball. @param {import('./packed/public-packages.mjs').PackedPackage} packed */
async function examine({ manifest, tarball, paths, data: read }) {
  // A copy, for publint takes all of a buffer, and Node keeps several files in one.
  const data = new Uint8Array(read);
  const limit = sizeLimits[manifest.name] ?? sizeLimits.default;
  const faults = [
    ...(await publintFaults(data)),
    ...(await typeFaults(data, manifest)),
    ...paths.filter((path) => unwanted.test(path)).map((path) => `${path} has no place in the tarball`),
    ...['README.md', 'LICENSE'].filter((name) => !paths.includes(name)).map((name) => `${name} is missing`),
  ];
  if (data.length > limit) faults.push(`${data.length} bytes packed, the limit is ${limit}`);
  return {
    name: manifest.name,
    version: manifest.version,
    tarball,
    files: paths.length,
    bytes: data.length,
    limit,
    faults,
  };
}

async function publintFaults(data) {
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  return messages.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`);
}

async function typeFaults(data, manifest) {
  const result = await checkPackage(createPackageFromTarballData(data));
  if (!result.types) return ['attw: no types'];
  return result.problems
    .filter((problem) => !('resolutionKind' in problem && ignoredResolutions.has(problem.resolutionKind)))
    .filter((problem) => problem.kind !== 'CJSResolvesToESM')
    .map((problem) => `attw: ${manifest.name}: ${JSON.stringify(problem)}`);
}

/** Prints one row a package, then every fault; returns how many there are. */
function report(packed) {
  const rows = packed.map((one) => [
    `${one.name}@${one.version}`,
    `${one.files} files`,
    `${kilobytes(one.bytes)} of ${kilobytes(one.limit)} kB`,
    one.faults.length === 0 ? 'good' : `${one.faults.length} faults`,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
  for (const one of packed) for (const fault of one.faults) console.error(`${one.name}: ${fault}`);
  return packed.flatMap((one) => one.faults).length;
}

/** Installs all tarballs into an empty project, looks for a second copy of core, and runs `varve`. */
function installAndRun(packed) {
  const project = mkdtempSync(join(tmpdir(), 'varve-pack-check-'));
  const run = (command, ...words) =>
    execFileSync(command, words, { cwd: project, encoding: 'utf8', env: npmEnvironment() });
  try {
    writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
    run(
      'npm',
      'install',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--loglevel=error',
      ...packed.map((one) => one.tarball),
    );
    const cores = copiesOf('@varve/core', join(project, 'node_modules'));
    if (cores.length !== 1)
      throw new Error(`expected one copy of @varve/core, found ${cores.length}:\n${cores.join('\n')}`);
    const varve = join(project, 'node_modules/.bin/varve');
    const version = run(varve, '--version').trim();
    const expected = packed.find((one) => one.name === '@varve/cli').version;
    if (version !== expected) throw new Error(`varve --version says "${version}", its package ${expected}`);
    const replay = run(varve, 'replay', transcript);
    if (replay.trim() === '') throw new Error('varve replay printed nothing');
    console.log(`installed with npm: one @varve/core, varve ${version} runs and replays the shipped transcript`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Every folder below `root` that holds the package `name`, links resolved. */
function copiesOf(name, root) {
  const found = new Set();
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.endsWith(join('node_modules', name))) found.add(realpathSync(path));
  }
  return [...found];
}

function kilobytes(bytes) {
  return (bytes / 1000).toFixed(1);
}
