/**
 * Names the way decisions are made. It changes with every change that can alter a decision or a snapshot; the host
 * then appends an `engine` record, and replay names the range that another version decided.
 */
export const engineVersion = '1';
