/** Media types beyond the usual ones. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
