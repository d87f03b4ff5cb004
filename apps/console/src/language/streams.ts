export const en = {
  streams: {
    error: 'Not taken since',
    hint: 'Decisions, alerts, actions, outcomes and audit entries on their way to Kafka or files. They are declared in the configuration file.',
    kind: {
      actions: 'actions',
      alerts: 'alerts',
      audit: 'audit entries',
      decisions: 'decisions',
      outcomes: 'outcomes',
    },
    lag: '{{seconds}} s behind',
    lost: 'Data was removed before it had left:',
    none: 'No streams.',
    state: { failing: 'Failing', late: 'Late', running: 'Up to date', stopped: 'Not running' },
    title: 'Streams',
  },
};

export const es = {
  streams: {
    error: 'No se recibe desde',
    hint: 'Decisiones, alertas, acciones, resultados y entradas de auditoría camino a Kafka o a archivos. Se declaran en el archivo de configuración.',
    kind: {
      actions: 'acciones',
      alerts: 'alertas',
      audit: 'entradas de auditoría',
      decisions: 'decisiones',
      outcomes: 'resultados',
    },
    lag: '{{seconds}} s de atraso',
    lost: 'Se eliminaron datos antes de que salieran:',
    none: 'No hay flujos.',
    state: { failing: 'Falla', late: 'Atrasado', running: 'Al día', stopped: 'Detenido' },
    title: 'Flujos',
  },
};
