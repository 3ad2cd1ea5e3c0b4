/** The tickers of a run's texts: engines publish about them, channels ask for them, the oracle compares them. */
export const TICKERS = ['069500', '102110', '229200', '233740', '114800', '252670'];
