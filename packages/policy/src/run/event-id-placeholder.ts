/**
 * Stays in the rendered message. The sender of the message puts the id there: the engine does not know it, because it
 * depends on where the log is kept.
 */
export const eventIdPlaceholder = '{{event.id}}';
