import { EventEmitter as NodeEmitter } from 'node:events';
import { createHost, type Host } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { EventEmitter } from 'eventemitter3';
import { type Contender, interleave } from '../../interleave.ts';
import { againstPeer, type Measurement } from '../../measured/compared.ts';
import type { ComparisonRow } from '../../measured/comparison-row.ts';
import type { SpeedBench, SpeedWorkload } from '../speed-bench.ts';

const listenerCounts = [1, 10, 100] as const;

/** Listeners that one run calls, all events together. */
const callsPerRun = 20_000;

/** Events that ours emits before it gives way. */
const burst = 10;

const event = {
  sessionId: null,
  sessionKey: null,
  agentId: null,
  parentSessionKey: null,
  label: null,
  displayName: null,
  text: 'Something happened.',
};

/** B13: an event for so many listeners. Ours are isolated: each is called whatever the others throw. */
export const emitEventsWorkload: SpeedWorkload = {
  id: 'B13',
  title: 'events',
  run: async (bench) => {
    const rows: ComparisonRow[] = [];
    for (const listeners of listenerCounts) rows.push(...(await rowsOf(listeners, bench)));
    return {
      rows,
      notes: [
        'Ours freezes each event, delivers it after the code that emits, in order, and keeps a listener that throws or ' +
          'rejects from all others; the peers call functions one after the other, and the first that throws ends it.',
      ],
    };
  },
};

async function rowsOf(listeners: number, { often }: SpeedBench): Promise<readonly ComparisonRow[]> {
  const plain = await createHost();
  const throwing = await createHost();
  const contenders = [
    ours('varve', { host: plain, listeners, throwing: 0 }),
    ours('varve, every listener throws', { host: throwing, listeners, throwing: listeners }),
    emitting('eventemitter3', { emitter: new EventEmitter(), listeners, isolate: (listener) => listener }),
    emitting('eventemitter3, each in try', { emitter: new EventEmitter(), listeners, isolate: inTry }),
    emitting('node:events', { emitter: manyListeners(), listeners, isolate: (listener) => listener }),
  ];
  const measured = await interleave(contenders, often);
  await Promise.all([plain.close(), throwing.close()]);
  const measurement: Measurement = { workload: 'B13', measured, own: 'varve', of: `${listeners} listeners` };
  return [
    againstPeer(measurement, 'eventemitter3', { goal: 1 }),
    againstPeer(measurement, 'eventemitter3, each in try'),
    againstPeer(measurement, 'node:events'),
    againstPeer(measurement, 'varve, every listener throws'),
  ];
}

/** Counts calls, so that nobody is fast because nobody was called. */
interface Called {
  calls: number;
}

function ours(
  name: string,
  how: { readonly host: Host; readonly listeners: number; readonly throwing: number },
): Contender {
  const { host, listeners, throwing } = how;
  const called: Called = { calls: 0 };
  const failure = new Error('A listener failed.');
  for (let at = 0; at < listeners; at += 1) {
    host.events.on('warning', () => {
      called.calls += 1;
      if (at < throwing) throw failure;
    });
  }
  const emits = callsPerRun / listeners;
  return {
    name,
    operations: emits,
    run: async () => {
      called.calls = 0;
      for (let at = 1; at <= emits; at += 1) {
        emitEvent(host, 'warning', event);
        // Events are delivered once the code that emits has given way.
        if (at % burst === 0) while (called.calls < at * listeners) await Promise.resolve();
      }
    },
  };
}

type Listener = (event: unknown) => void;

function emitting(
  name: string,
  how: {
    readonly emitter: { on(name: string, listener: Listener): unknown; emit(name: string, event: unknown): unknown };
    readonly listeners: number;
    readonly isolate: (listener: Listener) => Listener;
  },
): Contender {
  const { emitter, listeners, isolate } = how;
  const called: Called = { calls: 0 };
  for (let at = 0; at < listeners; at += 1) {
    emitter.on(
      'warning',
      isolate(() => {
        called.calls += 1;
      }),
    );
  }
  const emits = callsPerRun / listeners;
  return {
    name,
    operations: emits,
    run: () => {
      called.calls = 0;
      for (let at = 0; at < emits; at += 1) emitter.emit('warning', event);
      if (called.calls !== callsPerRun) throw new Error(`${name} called ${called.calls} listeners.`);
    },
  };
}

function inTry(listener: Listener): Listener {
  return (given) => {
    try {
      listener(given);
    } catch {
      // What a listener throws is its own matter.
    }
  };
}

function manyListeners(): NodeEmitter {
  const emitter = new NodeEmitter();
  emitter.setMaxListeners(0);
  return emitter;
}
