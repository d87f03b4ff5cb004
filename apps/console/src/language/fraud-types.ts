/** Short names of the types of fraud in the FraudClassifier and the ScamClassifier of the Federal Reserve. */
export const en = {
  fraudTypes: {
    fraud: {
      compromisedCredentials: 'Compromised credentials',
      impersonatedParty: 'Impersonated authorized party',
      digitalPayment: 'Stolen payment data used online',
      physicalForgery: 'Forged or counterfeit instrument',
      physicalAlteration: 'Altered instrument',
      productsAndServices: 'Manipulated: products and services',
      relationshipAndTrust: 'Manipulated: relationship and trust',
      embezzlement: 'Embezzlement',
      falseClaim: 'False claim',
      syntheticIdentity: 'Synthetic identity',
    },
    scam: {
      merchandise: 'Scam: merchandise',
      investment: 'Scam: investment',
      propertyRental: 'Scam: property rental',
      job: 'Scam: job offer',
      romanceImpostor: 'Scam: romance impostor',
      governmentImpostor: 'Scam: government impostor',
      bankImpostor: 'Scam: bank impostor',
      businessImpostor: 'Scam: business impostor',
      relativeOrFriendImpostor: 'Scam: relative or friend impostor',
    },
  },
};

export const es: typeof en = {
  fraudTypes: {
    fraud: {
      compromisedCredentials: 'Credenciales comprometidas',
      impersonatedParty: 'Suplantación de la parte autorizada',
      digitalPayment: 'Datos de pago robados, usados en línea',
      physicalForgery: 'Instrumento falsificado',
      physicalAlteration: 'Instrumento alterado',
      productsAndServices: 'Manipulación: productos y servicios',
      relationshipAndTrust: 'Manipulación: relación y confianza',
      embezzlement: 'Malversación',
      falseClaim: 'Reclamación falsa',
      syntheticIdentity: 'Identidad sintética',
    },
    scam: {
      merchandise: 'Estafa: mercancía',
      investment: 'Estafa: inversión',
      propertyRental: 'Estafa: alquiler de inmueble',
      job: 'Estafa: oferta de empleo',
      romanceImpostor: 'Estafa: falso romance',
      governmentImpostor: 'Estafa: falsa autoridad',
      bankImpostor: 'Estafa: falso banco',
      businessImpostor: 'Estafa: falsa empresa',
      relativeOrFriendImpostor: 'Estafa: falso familiar o amigo',
    },
  },
};
