"""This module mends what was lost or damaged in a lake between two runs, as far as the lake itself knows what it was.

The tables of the current release are mended by building them anew (see `release_files`), stage outputs likewise (see `work`).
"""

from __future__ import annotations

from transforms.schemas import RAW_FILES
from warehouse.atomic import point_link, rename
from warehouse.layout import DamagedReleaseError, Lake, LakeError
from warehouse.live import LiveName, read_live, read_names, write_live
from warehouse.pins import read_pin
from warehouse.publications import pointed_at, read_publications
from warehouse.release_files import is_as_published, is_at_home, note_files, sound_table


def mend(lake: Lake) -> list[str]:
    """Mends the lake, and says in a sentence each what it did. Call it while holding the lock, before anything is built.

    Raises:
        LakeError: what is lost cannot be had again from the lake; the message says what to do.
    """
    said = (each(lake) for each in (_set_description_aside, _point_again, _recall_live, _renew_catalog))
    return [sentence for sentence in said if sentence]


def _set_description_aside(lake: Lake) -> str | None:
    """Takes a damaged `release.json` out of the current release, which counts as not there then, and is built anew."""
    try:
        lake.current_release()
    except DamagedReleaseError:
        folder = pointed_at(lake)
        pin = read_pin(lake)
        if folder is None or (pin is not None and pin.release_id == folder.name):
            raise
        rename(folder / "release.json", folder / "release.json.damaged")
        return f"the description of the current release {folder.name} was damaged; it is made anew"
    return None


def _point_again(lake: Lake) -> str | None:
    """Lets the pointer lead to the release that became current last, where the pointer is lost and the release is not."""
    if pointed_at(lake) is not None or not (publications := read_publications(lake)):
        return None
    last = publications[-1].release_id
    if not (lake.releases_dir / last / "release.json").is_file():
        return None
    point_link(lake.current_link, f"{lake.releases_dir.name}/{last}")
    return f"the pointer to the current release was lost; it leads to {last} again"


def _recall_live(lake: Lake) -> str | None:
    """Writes the live set again where it is lost: from its copy, else as the current release tells it."""
    damage: LakeError | None = None
    try:
        if lake.live_path.exists():
            read_live(lake)
            return None
    except LakeError as error:
        damage = error
    if (recalled := _copied(lake) or _told_by_release(lake)) is None:
        if damage is not None:
            raise damage
        return None  # nothing ever was live
    names, source = recalled
    if damage is not None:
        rename(lake.live_path, lake.live_path.with_name("live.json.damaged"))
    write_live(lake, names)
    return f"the live set was {'damaged' if damage else 'lost'}; it is that of {source} again, {len(names)} names"


def _copied(lake: Lake) -> tuple[frozenset[LiveName], str] | None:
    try:
        return (read_names(lake.live_copy_path), "its copy") if lake.live_copy_path.exists() else None
    except LakeError:
        return None


def _told_by_release(lake: Lake) -> tuple[frozenset[LiveName], str] | None:
    """The live set that the current release was made from; of several names of one content the release knows the least.

    Raises:
        LakeError: its table of raw files is damaged as well.
    """
    if (current := lake.current_release()) is None:
        return None
    if not sound_table(current, RAW_FILES.name):
        raise LakeError(
            f"{lake.live_path} is lost, and so are its copy and the table {RAW_FILES.name} of the release {current.name}: "
            "restore one of them, or take the folder of the release out of the lake and run again with all files"
        )
    import pyarrow.parquet as pq

    columns = ["source", "source_path", "file_sha256", "size_bytes"]
    table = pq.read_table(current / RAW_FILES.name, columns=columns, partitioning=None).to_pylist()
    names = (LiveName(*(row[column] for column in columns)) for row in table)
    return frozenset(names), f"the current release {current.name}"


def _renew_catalog(lake: Lake) -> str | None:
    """Writes the DuckDB file again where it is lost, or where the lake was moved: its paths are absolute."""
    current = lake.current_release()
    if current is None or (lake.catalog_path.is_file() and is_at_home(lake)) or not is_as_published(lake, current):
        return None  # a damaged release gets a catalog when it is made anew
    from warehouse.catalog import build_catalog

    is_lost = not lake.catalog_path.exists()
    build_catalog(lake.path, current)
    note_files(lake, current)
    return f"{lake.catalog_path.name} was lost; it is written again" if is_lost else None
