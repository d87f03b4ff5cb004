import type { en } from '../en/en.ts';

export const policyTests: typeof en.policyTests = {
  allFired: 'Cada regla que no es de un paquete se dispara en una prueba.',
  allMissed: 'Cada regla que no es de un paquete tiene un casi acierto en una prueba.',
  failed_one: '{{count}} falló',
  failed_other: '{{count}} fallaron',
  failing: 'Pruebas que fallan',
  goOn_one: 'Seguir aunque falle {{count}} prueba',
  goOn_other: 'Seguir aunque fallen {{count}} pruebas',
  goOnUnplayed: 'Seguir aunque no se ejecutaron las pruebas',
  hint: 'Las ejecuta el servicio, en el motor que decide, con los archivos como están aquí. No se guarda nada.',
  itFailed: 'Falló',
  itPassed: 'Pasó',
  none: 'La política no tiene pruebas',
  notYet: 'Las pruebas aún no se han ejecutado',
  passed_one: '{{count}} pasó',
  passed_other: '{{count}} pasaron',
  playing: 'Se ejecutan las pruebas de la política…',
  run: 'Ejecutar las pruebas',
  tests: 'Pruebas',
  unfired: 'Reglas que ninguna prueba dispara',
  unmissed: 'Reglas sin casi acierto',
  unmissedHint:
    'Ninguna prueba muestra un evento en el que, con una parte menos de la condición, se habrían disparado.',
};

export const policyStart: typeof en.policyStart = {
  failed: 'no pudo comenzar con la historia: {{error}}',
  meanwhile: 'mientras tanto decide la versión {{version}}',
  progress: 'Avance de los rasgos de la versión {{version}}',
  title: 'La versión {{version}} llena sus rasgos nuevos con la historia',
  warm: 'Los rasgos nuevos comienzan con la historia del registro',
  warmHint: 'Primero se llenan; hasta entonces sigue la versión que decide ahora.',
};

export const ruleHealth: typeof en.ruleHealth = {
  cost: 'Coste',
  fired: 'Disparos',
  heldBack: 'Retenidas',
  hint: 'desde que decide esta versión, de hace unos segundos; precisión según las 20.000 etiquetas más nuevas',
  meaning: {
    cost: 'Lo más que su condición cuesta en un evento, sabido de antemano, en pasos de unos 10 ns; debajo, lo que lee. Un rasgo se busca una vez para todas las reglas.',
    fired: 'Cuántas veces se disparó y actuó.',
    heldBack: 'Cuántas veces se disparó en su pausa, o para un cliente o beneficiario que deja en paz.',
    missing: 'Cuántas veces faltó un dato que su condición necesita: entonces no puede dispararse.',
    precision: 'Parte de fraude entre los eventos etiquetados en los que se disparó.',
    shadow: 'Cuántas veces se disparó en sombra.',
  },
  missing: 'Datos que faltan',
  mode: 'Modo',
  ofLabelled_one: 'de {{count}}',
  ofLabelled_other: 'de {{count}}',
  precision: 'Precisión',
  reads_one: '{{facts}} leídos, {{count}} rasgo',
  reads_other: '{{facts}} leídos, {{count}} rasgos',
  shadow: 'Sombra',
  steps_one: 'hasta {{shown}} paso',
  steps_other: 'hasta {{shown}} pasos',
  title: 'Salud de las reglas',
};

export const places: typeof en.places = {
  fired_one: 'una regla se disparó {{count}} vez',
  fired_other: 'una regla se disparó {{count}} veces',
  hint: 'según los 300 inicios y cierres más nuevos',
  none: 'No se sabe de dónde vino',
  noneHint: 'Se conocen los países de inicios y cierres con una dirección que una tabla conoce.',
  times_one: '{{count}} vez',
  times_other: '{{count}} veces',
  title: 'Lugares',
};

export const clientNotes: typeof en.clientNotes = {
  add: 'Anotar',
  none: 'Todavía no se anotó nada.',
  title: 'Notas',
  write: '¿Qué deben saber los demás?',
};

export const clientAlerts: typeof en.clientAlerts = {
  decisions_one: '{{count}} decisión',
  decisions_other: '{{count}} decisiones',
  open: 'Abierta',
  title: 'Lo que averiguó la gente',
};
