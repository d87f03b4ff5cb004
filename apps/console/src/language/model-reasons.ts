/** Why models gave their results. */
export const en = {
  model: {
    againHint: 'replays the event with the data known at that time',
    ask: 'Explain the model',
    base: 'Average of the training',
    contribution: 'Log-odds',
    copy: 'Copy the reasons',
    differs: 'The replay differs from the recorded decision. These may not be the original inputs.',
    input: 'Input',
    language: 'Language of the letter',
    letter: 'Reasons for a letter to the client',
    letterHint:
      'What raised the probability most, without values and thresholds. Not legal advice: check which reasons your law requires.',
    logOdds: 'Each input adds to the log-odds of fraud, or takes from them: +0.69 doubles the odds, -0.69 halves them.',
    none: 'No model was evaluated',
    noneHint: 'The models of this version are for other events.',
    othersHint: 'other models: replays the event',
    probability: 'probability of fraud {{p}}',
    raisedBy: 'Model {{name}}, {{p}}:',
    score: 'score {{score}} of 1,000',
    table: 'What each input adds to the result of {{name}}, the largest first',
    total: 'This event',
    why: 'Why the model says so',
  },
};

export const es: typeof en = {
  model: {
    againHint: 'repite el evento con los datos conocidos en ese momento',
    ask: 'Explicar el modelo',
    base: 'Promedio del entrenamiento',
    contribution: 'Log-odds',
    copy: 'Copiar los motivos',
    differs: 'La repetición difiere de la decisión registrada. Puede que estas no sean las entradas originales.',
    input: 'Entrada',
    language: 'Idioma de la carta',
    letter: 'Motivos para una carta al cliente',
    letterHint:
      'Lo que más elevó la probabilidad, sin valores ni umbrales. No es asesoría legal: revise qué motivos exige su ley.',
    logOdds:
      'Cada entrada suma o resta a los log-odds de fraude: +0.69 duplica las probabilidades a favor, -0.69 las reduce a la mitad.',
    none: 'No se evaluó ningún modelo',
    noneHint: 'Los modelos de esta versión son para otros eventos.',
    othersHint: 'otros modelos: repite el evento',
    probability: 'probabilidad de fraude {{p}}',
    raisedBy: 'Modelo {{name}}, {{p}}:',
    score: 'puntuación {{score}} de 1,000',
    table: 'Lo que cada entrada suma al resultado de {{name}}, de mayor a menor',
    total: 'Este evento',
    why: 'Por qué lo dice el modelo',
  },
};
