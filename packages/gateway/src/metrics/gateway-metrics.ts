import type { Host } from '@varve/core';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a gateway counts, for Prometheus. No label has a key, an id or a name of anybody. */
export interface GatewayMetrics {
  /** An answer was sent. */
  answered(what: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly ms: number;
  }): void;
  /** A turn that a caller asked for has ended. */
  turned(status: string): void;
  /** The sums since the start, for `/v1/counters`. */
  sums(): Readonly<Record<string, number>>;
  /** In the format of Prometheus. */
  text(): Promise<string>;
  /** Listens no longer. */
  close(): void;
}

/** What is looked at when it is asked for. */
export interface MetricsParts {
  readonly host: Host;
  awake(): number;
  turns(): number;
  streams(): number;
}

const seconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Counts from now on. */
export function createGatewayMetrics({ host, awake, turns, streams }: MetricsParts): GatewayMetrics {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix: 'varve_' });
  const registers = [register];
  const requests = new Counter({
    name: 'varve_http_requests_total',
    help: 'Answers by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'varve_http_seconds',
    help: 'Seconds to an answer, or to the end of a stream.',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  });
  const turned = new Counter({
    name: 'varve_turns_total',
    help: 'Turns that callers asked for, by how they ended.',
    labelNames: ['status'],
    registers,
  });
  gauge(register, { name: 'varve_sessions_awake', help: 'Conversations that are awake.', read: awake });
  gauge(register, { name: 'varve_turns_running', help: 'Turns that run for callers.', read: turns });
  gauge(register, { name: 'varve_streams', help: 'Streams of events that are open.', read: streams });
  const sums = new Map(['requests', 'turns', 'entries', 'compactions', 'pluginFailures'].map((name) => [name, 0]));
  const add = (name: string, count = 1): void => void sums.set(name, (sums.get(name) ?? 0) + count);
  const stop = countEvents(host, register, add);
  return {
    answered: ({ method, route, status, ms }) => {
      requests.inc({ method, route, status });
      duration.observe({ route }, ms / 1_000);
      add('requests');
    },
    turned: (status) => {
      turned.inc({ status });
      add('turns');
    },
    sums: () => Object.fromEntries(sums),
    text: () => register.metrics(),
    close: () => {
      stop();
      register.clear();
    },
  };
}

function gauge(
  register: Registry,
  { name, help, read }: { readonly name: string; readonly help: string; read(): number },
): void {
  new Gauge({
    name,
    help,
    registers: [register],
    collect() {
      this.set(read());
    },
  });
}

/** Counts what the host tells. Gives what ends that. */
function countEvents(host: Host, register: Registry, add: (name: string, count?: number) => void): () => void {
  const counter = <Label extends string>(name: string, help: string, label: Label): Counter<Label> =>
    new Counter({ name, help, labelNames: [label], registers: [register] });
  const entries = counter('varve_entries_total', 'Entries that were stored, by type.', 'type');
  const compactions = counter('varve_compactions_total', 'Compactions, by what triggered them.', 'trigger');
  const failures = counter('varve_plugin_failures_total', 'Failures of plugins.', 'plugin');
  const spent = counter('varve_tokens_total', 'Tokens that providers reported.', 'kind');
  const subscriptions = [
    host.events.on('entry-appended', ({ entry }) => {
      // Records of plugins have any name.
      entries.inc({ type: entry.type.includes(':') ? 'record' : entry.type });
      add('entries');
    }),
    host.events.on('compaction-committed', ({ reason }) => {
      compactions.inc({ trigger: reason });
      add('compactions');
    }),
    host.events.on('plugin-failed', ({ plugin }) => {
      failures.inc({ plugin });
      add('pluginFailures');
    }),
    host.events.on('turn-ended', ({ usage }) => {
      for (const [kind, count] of Object.entries(usage)) {
        if (typeof count !== 'number' || count <= 0) continue;
        spent.inc({ kind }, count);
        add(kind, count);
      }
    }),
  ];
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}
