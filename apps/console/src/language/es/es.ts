import type { en } from '../en/en.ts';

export const es: Partial<typeof en> = {};
