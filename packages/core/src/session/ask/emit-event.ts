import type { EventBus, HostEvents, LiveEvents } from '../../plugins/events.ts';
import type { Host } from '../host.ts';

/**
 * Tells the listeners of a host of something that happened around its sessions. For `@varve/sessions` and gateways, which
 * add the events that they emit to `LiveEvents`.
 */
export function emitEvent<Name extends keyof LiveEvents>(
  host: Pick<Host, 'events'>,
  name: Name,
  event: LiveEvents[Name],
): void {
  (host.events as EventBus).emit(name, event as HostEvents[Name]);
}
