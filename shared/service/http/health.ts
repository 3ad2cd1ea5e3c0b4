/** Balancers ask an address of health by one of these, as they are made: each is answered as GET (HEAD without a body). */
export const HEALTH_METHODS = ['GET', 'HEAD', 'OPTIONS'] as const;
