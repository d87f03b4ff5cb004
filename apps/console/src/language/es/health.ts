import type { en } from '../en/en.ts';

export const policyTests: typeof en.policyTests = {
  allFired: 'Cada regla fuera de los paquetes se dispara en al menos una prueba.',
  allMissed: 'Cada regla fuera de los paquetes tiene una prueba que casi la dispara.',
  failed_one: '{{count}} falló',
  failed_other: '{{count}} fallaron',
  failing: 'Pruebas que fallan',
  goOn_one: 'Continuar aunque falle {{count}} prueba',
  goOn_other: 'Continuar aunque fallen {{count}} pruebas',
  goOnUnplayed: 'Continuar sin ejecutar las pruebas',
  hint: 'El servicio ejecuta las pruebas de este borrador con el código del motor activo. No se guarda nada.',
  itFailed: 'Falló',
  itPassed: 'Pasó',
  none: 'La política no tiene pruebas',
  notYet: 'Las pruebas aún no se han ejecutado',
  passed_one: '{{count}} pasó',
  passed_other: '{{count}} pasaron',
  playing: 'Ejecutando las pruebas de la política…',
  run: 'Ejecutar pruebas',
  tests: 'Pruebas',
  unfired: 'Reglas que ninguna prueba dispara',
  unmissed: 'Reglas sin prueba que casi las dispare',
  unmissedHint:
    'Ninguna prueba contiene un evento al que le falte exactamente una condición para disparar estas reglas.',
};

export const policyStart: typeof en.policyStart = {
  failed: 'falló la carga de variables: {{error}}',
  meanwhile: 'hasta entonces sigue activa la versión {{version}}',
  progress: 'Carga de variables de la versión {{version}}',
  title: 'La versión {{version}} está cargando sus variables nuevas desde el historial',
  warm: 'Cargar las variables nuevas desde el historial',
  warmHint: 'La versión actual sigue activa hasta que termine la carga.',
};

export const ruleHealth: typeof en.ruleHealth = {
  cost: 'Costo',
  fired: 'Disparos',
  heldBack: 'Suprimidas',
  hint: 'desde que esta versión está activa, con unos segundos de retraso; precisión según las últimas 20,000 etiquetas',
  meaning: {
    cost: 'Costo máximo de evaluar la condición en un evento, en pasos de unos 10 ns, y abajo los valores que lee. Una variable se lee una sola vez para todas las reglas.',
    fired: 'Número de veces que la regla se disparó y pidió sus acciones.',
    heldBack:
      'Número de veces que la regla se disparó en su tiempo de espera, o para un cliente o beneficiario exceptuado.',
    missing: 'Número de veces que faltó un dato que la condición necesita. Entonces la regla no puede dispararse.',
    precision: 'Proporción de fraude entre los eventos etiquetados que marcó la regla.',
    shadow: 'Número de veces que la regla se disparó en sombra.',
  },
  missing: 'Datos que faltan',
  mode: 'Modo',
  ofLabelled_one: 'de {{count}}',
  ofLabelled_other: 'de {{count}}',
  precision: 'Precisión',
  reads_one: 'datos: {{facts}}, variables: {{count}}',
  reads_other: 'datos: {{facts}}, variables: {{count}}',
  shadow: 'Sombra',
  steps_one: 'hasta {{shown}} paso',
  steps_other: 'hasta {{shown}} pasos',
  title: 'Estado de las reglas',
};

export const places: typeof en.places = {
  fired_one: 'marcado {{count}} vez',
  fired_other: 'marcado {{count}} veces',
  hint: 'últimos 300 accesos y cierres',
  none: 'Sin ubicaciones conocidas',
  noneHint: 'Se conoce el país de los accesos y cierres cuya dirección está en la base de ubicaciones.',
  times_one: '{{count}} vez',
  times_other: '{{count}} veces',
  title: 'Ubicaciones',
};

export const clientNotes: typeof en.clientNotes = {
  add: 'Agregar nota',
  none: 'Todavía no hay notas.',
  title: 'Notas',
  write: 'Escriba una nota para otros usuarios',
};

export const clientAlerts: typeof en.clientAlerts = {
  decisions_one: '{{count}} decisión',
  decisions_other: '{{count}} decisiones',
  open: 'Abierta',
  title: 'Historial de alertas',
};
