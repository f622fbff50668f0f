// What `@varve/sessions` and gateways need of core beside its public interface: hooks that are run around a session.
export { askDelivery } from './session/ask/ask-delivery.ts';
export { askReset } from './session/ask/ask-reset.ts';
