export const en = {
  tried: {
    ranAsLive_one: 'Rule {{reasons}} is in shadow and ran as if live: the figures include it.',
    ranAsLive_other: 'Rules {{reasons}} are in shadow and ran as if live: the figures include them.',
    unmatched_one: '{{count}} rule matched no event',
    unmatched_other: '{{count}} rules matched no event',
  },
};

export const es: typeof en = {
  tried: {
    ranAsLive_one: 'La regla {{reasons}} está en sombra y se ejecutó como activa: las cifras la incluyen.',
    ranAsLive_other: 'Las reglas {{reasons}} están en sombra y se ejecutaron como activas: las cifras las incluyen.',
    unmatched_one: '{{count}} regla no coincidió con ningún evento',
    unmatched_other: '{{count}} reglas no coincidieron con ningún evento',
  },
};
