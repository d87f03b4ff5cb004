export const en = {
  tried: {
    unmatched_one: '{{count}} rule matched no event',
    unmatched_other: '{{count}} rules matched no event',
  },
};

export const es: typeof en = {
  tried: {
    unmatched_one: '{{count}} regla no coincidió con ningún evento',
    unmatched_other: '{{count}} reglas no coincidieron con ningún evento',
  },
};
