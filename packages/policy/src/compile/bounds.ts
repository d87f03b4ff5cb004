/** Steps of about 10 ns that one condition may take: 100 µs, so that hundreds of hostile ones still pass in a breath. */
export const costMax = 10_000;

/**
 * Texts longer than this are missing to the functions that search or copy them, so that no event can make a rule slow.
 * Only the encrypted `data` of a login is longer.
 */
export const textLengthMax = 4_096;
