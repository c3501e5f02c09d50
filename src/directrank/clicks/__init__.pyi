from .behavior_insights import (
    read_behavior_insights as read_behavior_insights,
)
from .bias_estimation.estimate import (
    estimate_bias as estimate_bias,
)
from .click_judgments import (
    ClickJudgments as ClickJudgments,
    judge_by_clicks as judge_by_clicks,
)
from .click_labels import (
    ClickLabels as ClickLabels,
    label_by_clicks as label_by_clicks,
    scores_of_pairs as scores_of_pairs,
)
from .click_log import (
    ClickLog as ClickLog,
    Pairs as Pairs,
)
from .click_models import (
    ClickModel as ClickModel,
    fit_click_model as fit_click_model,
)
from .click_queries import (
    one_query_per_click as one_query_per_click,
)
from .estimators import (
    calibrate as calibrate,
    effective_clicks as effective_clicks,
    gains as gains,
)
from .log_description import (
    LogDescription as LogDescription,
    describe_log as describe_log,
)
from .log_reader import (
    read_click_log as read_click_log,
)
from .position_bias import (
    PositionBias as PositionBias,
)
from .simulated_users import (
    CascadeUser as CascadeUser,
    DBNUser as DBNUser,
    PositionBasedUser as PositionBasedUser,
    SimulatedUser as SimulatedUser,
    TrustBiasUser as TrustBiasUser,
)
from .simulation import (
    simulate_clicks as simulate_clicks,
)
