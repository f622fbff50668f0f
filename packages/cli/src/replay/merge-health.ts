import type { HealthFinding, PartsHealth } from '@varve/core';

/** Adds the findings of several sessions up: the same failure of the same plugin is one finding. */
export function mergeHealth(reports: readonly PartsHealth[]): PartsHealth {
  const merged = new Map<string, HealthFinding>();
  for (const finding of reports.flatMap(({ findings }) => findings)) {
    const id = JSON.stringify([finding.name, finding.where]);
    const known = merged.get(id);
    merged.set(id, { ...finding, failures: finding.failures + (known?.failures ?? 0) });
  }
  return { ok: merged.size === 0, findings: [...merged.values()] };
}
