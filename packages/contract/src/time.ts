/** Milliseconds since the Unix epoch, UTC. Always a safe integer. */
export type EpochMs = number & { readonly unit: 'epoch-ms' };

export const secondMs = 1_000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;
