/**
 * An undo is no new wait: an item that came back to review before its approved text went out has waited since it came
 * into review before that approval.
 */
export const sql = `
UPDATE explanation SET status_since = (SELECT entered.at FROM state_history AS entered
  WHERE entered.explanation_id = explanation.id AND entered.to_status = 'PENDING_REVIEW'
    AND entered.from_status IS NOT 'PENDING_REVIEW'
    AND NOT (entered.move = 'move-to-review' AND entered.before_release = 1)
  ORDER BY entered.id DESC LIMIT 1)
WHERE status = 'PENDING_REVIEW' AND 1 = (SELECT last.move = 'move-to-review' AND last.before_release = 1
  FROM state_history AS last
  WHERE last.explanation_id = explanation.id AND last.to_status = 'PENDING_REVIEW'
    AND last.from_status IS NOT 'PENDING_REVIEW'
  ORDER BY last.id DESC LIMIT 1);
`;
