/** Action times that are remembered per rule: a larger cap has the same effect as this one. */
export const capCountMax = 65_536;
